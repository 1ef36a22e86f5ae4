import Cryptography
import Synchronization
import WireFormats

/// The present keys of the teams. When a key file changes, the key changes while the worker runs. The object
/// is safe to use from any thread.
final class TeamKeys: Sendable {
    struct Key: Sendable {
        /// The id of the key, 10 letters and digits.
        var id: String
        /// The signer that holds the private key.
        var signer: ES256Signer
        /// How often the key or its id was replaced since the process started.
        var version = 0
    }

    private let keys: Mutex<[String: Key]>

    init(_ teams: [DeviceCheckSettings.Team]) {
        let keys = teams.map { ($0.id, Key(id: $0.keyID, signer: $0.signer)) }
        self.keys = Mutex(Dictionary(keys) { first, _ in first })
    }

    /// Returns the present key of a team; nil for a team without a key. The version tells a later caller
    /// whether the key was replaced.
    func key(of team: String) -> Key? { self.keys.withLock { $0[team] } }

    func replaceSigner(of team: String, by signer: ES256Signer) {
        self.keys.withLock {
            $0[team]?.signer = signer
            $0[team]?.version += 1
        }
    }

    /// Replaces the id of a team's key.
    ///
    /// - Throws: a fault if the text is not a key id; the old id then stays in use.
    func replaceKeyID(of team: String, by text: String) throws(AppleID.Fault) {
        let id = try AppleID.checked(text)
        self.keys.withLock {
            $0[team]?.id = id
            $0[team]?.version += 1
        }
    }
}
