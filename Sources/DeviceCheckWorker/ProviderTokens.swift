import Cryptography
import Synchronization
import WireFormats

/// The tokens that are shown to Apple: one for each team, made when it is first needed, and again when it has become
/// old or Apple has refused it. Whoever asks first makes it, and all others get the same.
final class ProviderTokens: Sendable {
    struct Token: Hashable, Sendable {
        var text: String
        /// Counts the tokens of this process.
        var serial: UInt64
    }

    private struct Desk {
        var keyID: String
        var signer: ES256Signer
        var token: Token?
        /// Wall-clock milliseconds.
        var madeAt: Int64 = 0
        /// Apple has taken the present token at least once.
        var isProven = false
        /// Apple has taken a token of the team, and a request with it.
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

    /// From now on it is remembered what Apple says of a token. A case that is played through by hand leaves no trace.
    func goLive() { self.state.withLock { $0.isLive = true } }

    var isLive: Bool { self.state.withLock { $0.isLive } }

    /// The token to show now; nil for a team without a key, or if OpenSSL cannot sign.
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

    func accepted(_ serial: UInt64, of team: String) {
        self.state.withLock { state in
            guard state.isLive else { return }
            state.desks[team]?.hasServed = true
            guard state.desks[team]?.token?.serial == serial else { return }
            state.desks[team]?.isProven = true
        }
    }

    /// Whether Apple has ever understood a request of the team's.
    func hasServed(_ team: String) -> Bool { self.state.withLock { $0.desks[team]?.hasServed ?? false } }

    /// Apple does not take this token: the next is a new one.
    ///
    /// - Returns: whether that gives hope: Apple has taken this token before, or it has been replaced meanwhile.
    func refused(_ serial: UInt64, of team: String) -> Bool {
        self.state.withLock { state in
            guard let desk = state.desks[team] else { return false }
            guard let token = desk.token, token.serial == serial else { return state.isLive }
            state.desks[team]?.token = nil
            return desk.isProven
        }
    }

    /// The team's key is another one from now on.
    func replaceKey(of team: String, by signer: ES256Signer) {
        self.state.withLock { state in
            state.desks[team]?.signer = signer
            state.desks[team]?.token = nil
        }
    }

    /// The team's key is known under another id from now on.
    func replaceKeyID(of team: String, by text: String) throws(AppleID.Fault) {
        let keyID = try AppleID.checked(text)
        self.state.withLock { state in
            state.desks[team]?.keyID = keyID
            state.desks[team]?.token = nil
        }
    }
}
