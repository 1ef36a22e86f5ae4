import Cryptography
import Synchronization
import WireFormats

/// The provider tokens that authorize our calls, one for each team. A token is made when it is first needed,
/// and again when it has become old or Apple has refused it. All calls of a team share it. The object is safe
/// to use from any thread.
final class ProviderTokens: Sendable {
    struct Token: Hashable, Sendable {
        var text: String
        /// The number of this token among all tokens of the process, from 1 on.
        var serial: UInt64
    }

    /// The key of one team with its present token.
    private struct Desk {
        var keyID: String
        var signer: ES256Signer
        var token: Token?
        /// When the present token was made: wall-clock milliseconds since 1970.
        var madeAt: Int64 = 0
        /// Whether Apple has accepted the present token at least once.
        var isProven = false
        /// Whether Apple has accepted a token of the team and understood the request with it.
        var hasServed = false
    }

    private struct State {
        var desks: [String: Desk]
        var lastSerial: UInt64 = 0
        var isLive = false
    }

    private let lifetime: Int64
    private let state: Mutex<State>

    init(_ teams: [DeviceCheckSettings.Team], lifetime: Duration) {
        let desks = teams.map { ($0.id, Desk(keyID: $0.keyID, signer: $0.signer)) }
        self.lifetime = lifetime.components.seconds * 1_000
        self.state = Mutex(State(desks: Dictionary(desks) { first, _ in first }))
    }

    /// Starts to remember what Apple says about tokens. A command that tries a case by hand does not call
    /// this, and so leaves no trace.
    func goLive() { self.state.withLock { $0.isLive = true } }

    /// Whether `goLive()` was called.
    var isLive: Bool { self.state.withLock { $0.isLive } }

    /// Returns the present token of a team, or makes a new one; nil for a team without a key, or if OpenSSL
    /// cannot sign.
    ///
    /// - Parameter now: the wall-clock time in milliseconds since 1970.
    func token(of team: String, now: Int64) -> Token? {
        self.state.withLock { state in
            guard var desk = state.desks[team] else { return nil }
            if let token = desk.token, now >= desk.madeAt, now - desk.madeAt < self.lifetime { return token }
            let claims = ProviderToken(
                keyID: desk.keyID,
                issuer: team,
                issuedAt: now / 1_000 - ProviderToken.backdating.components.seconds
            )
            guard let text = try? claims.signed(with: desk.signer) else { return nil }
            state.lastSerial += 1
            let token = Token(text: text, serial: state.lastSerial)
            (desk.token, desk.madeAt, desk.isProven) = (token, now, false)
            state.desks[team] = desk
            return token
        }
    }

    /// Records that Apple has accepted a token of the team.
    func accepted(_ serial: UInt64, of team: String) {
        self.state.withLock { state in
            guard state.isLive else { return }
            state.desks[team]?.hasServed = true
            guard state.desks[team]?.token?.serial == serial else { return }
            state.desks[team]?.isProven = true
        }
    }

    /// Returns whether Apple has understood a request of the team since the process started.
    func hasServed(_ team: String) -> Bool { self.state.withLock { $0.desks[team]?.hasServed ?? false } }

    /// Drops a token that Apple has refused, so that the next call makes a new one.
    ///
    /// - Returns: whether a new token is likely to help: Apple has accepted this token before, or it was
    ///   replaced in the meantime.
    func refused(_ serial: UInt64, of team: String) -> Bool {
        self.state.withLock { state in
            guard let desk = state.desks[team] else { return false }
            guard let token = desk.token, token.serial == serial else { return state.isLive }
            state.desks[team]?.token = nil
            return desk.isProven
        }
    }

    /// Replaces the key of a team, and drops its token.
    func replaceKey(of team: String, by signer: ES256Signer) {
        self.state.withLock { state in
            state.desks[team]?.signer = signer
            state.desks[team]?.token = nil
        }
    }

    /// Replaces the key id of a team, and drops its token.
    ///
    /// - Throws: a fault if the text is not a key id; the old id then stays in use.
    func replaceKeyID(of team: String, by text: String) throws(AppleID.Fault) {
        let keyID = try AppleID.checked(text)
        self.state.withLock { state in
            state.desks[team]?.keyID = keyID
            state.desks[team]?.token = nil
        }
    }
}
