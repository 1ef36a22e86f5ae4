import Cryptography
import WireFormats

/// The provider tokens that authorize our calls, one for each team. A token is made when it is first needed,
/// and again when it has become old, its key was replaced or Apple has refused it. All calls of a team share
/// it.
struct ProviderTokens: Sendable {
    struct Token: Hashable, Sendable {
        var text: String
        /// The number of this token among all tokens of the memory, from 1 on.
        var serial: UInt64
    }

    /// The present token of one team.
    private struct Desk {
        var token: Token?
        /// The version of the key that signed the present token.
        var keyVersion = 0
        /// When the present token was made: wall-clock milliseconds since 1970.
        var madeAt: Int64 = 0
        /// Whether Apple has accepted the present token at least once.
        var isProven = false
        /// Whether Apple has accepted a token of the team and understood the request with it.
        var hasServed = false
    }

    private let lifetime: Int64
    private var desks: [String: Desk] = [:]
    private var lastSerial: UInt64 = 0

    init(lifetime: Duration) { self.lifetime = lifetime.components.seconds * 1_000 }

    /// Returns the present token of a team, or makes a new one; nil if OpenSSL cannot sign. A token of an
    /// earlier key is never returned.
    ///
    /// - Parameters:
    ///   - team: the id of the team.
    ///   - key: the present key of the team.
    ///   - now: the wall-clock time in milliseconds since 1970.
    mutating func token(of team: String, with key: TeamKeys.Key, now: Int64) -> Token? {
        var desk = self.desks[team] ?? Desk()
        if let token = desk.token, desk.keyVersion == key.version, now >= desk.madeAt,
            now - desk.madeAt < self.lifetime
        {
            return token
        }
        let claims = ProviderToken(
            keyID: key.id,
            issuer: team,
            issuedAt: now / 1_000 - ProviderToken.backdating.components.seconds
        )
        guard let text = try? claims.signed(with: key.signer) else { return nil }
        self.lastSerial += 1
        let token = Token(text: text, serial: self.lastSerial)
        (desk.token, desk.keyVersion, desk.madeAt, desk.isProven) = (token, key.version, now, false)
        self.desks[team] = desk
        return token
    }

    /// Records that Apple has accepted a token of the team.
    mutating func accepted(_ serial: UInt64, of team: String) {
        self.desks[team, default: Desk()].hasServed = true
        guard self.desks[team]?.token?.serial == serial else { return }
        self.desks[team]?.isProven = true
    }

    /// Returns whether Apple has understood a request of the team.
    func hasServed(_ team: String) -> Bool { self.desks[team]?.hasServed ?? false }

    /// Drops a token that Apple has refused, so that the next call makes a new one.
    ///
    /// - Parameter key: the present key of the team.
    /// - Returns: whether a new token is likely to help: Apple has accepted this token before, or the token
    ///   or its key was replaced in the meantime.
    mutating func refused(_ serial: UInt64, of team: String, with key: TeamKeys.Key) -> Bool {
        guard let desk = self.desks[team], desk.token?.serial == serial, desk.keyVersion == key.version
        else { return true }
        self.desks[team]?.token = nil
        return desk.isProven
    }
}
