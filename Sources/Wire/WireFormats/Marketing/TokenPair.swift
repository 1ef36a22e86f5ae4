/// The content of the file of an OAuth application: its credentials, and the pair of tokens as last renewed.
///
/// The file is JSON. An access token is good for 24 hours and a refresh token for 30 days, and Tencent issues
/// both anew at each renewal. Descriptions and mirrors show nothing of it.
package struct TokenPair: Hashable, Sendable {
    /// The id of the developer's application.
    package var clientID: String
    package var clientSecret: String
    package var refreshToken: String
    /// The token of requests; empty if there has been none yet.
    package var accessToken: String
    /// When the access token expires, in seconds since 1970; nil if that is not known.
    package var accessExpiresAt: Int64?
    /// When the refresh token expires, in seconds since 1970; nil if that is not known.
    package var refreshExpiresAt: Int64?

    package init(
        clientID: String,
        clientSecret: String,
        refreshToken: String,
        accessToken: String = "",
        accessExpiresAt: Int64? = nil,
        refreshExpiresAt: Int64? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
        self.accessToken = accessToken
        self.accessExpiresAt = accessExpiresAt
        self.refreshExpiresAt = refreshExpiresAt
    }

    /// The reason why a file cannot be used, as the end of a sentence that quotes nothing of it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The end of the sentence.
        package var description: String
    }

    /// Reads the content of the file.
    package init(json: [UInt8]) throws(Fault) {
        guard let object = JSONObject(json) else { throw Fault(description: "is not one JSON object") }
        func text(_ name: String) throws(Fault) -> String {
            guard let text = object.string(name), Self.isToken(text) else {
                throw Fault(description: "has no \(name), or one with characters that no token has")
            }
            return text
        }
        if let number = object.integer("client_id") {
            self.clientID = String(number)
        } else {
            self.clientID = try text("client_id")
        }
        self.clientSecret = try text("client_secret")
        self.refreshToken = try text("refresh_token")
        self.accessToken = object.value("access_token") == nil ? "" : try text("access_token")
        func time(_ name: String) throws(Fault) -> Int64? {
            guard object.value(name) != nil else { return nil }
            guard let time = object.integer(name), Self.times.contains(time) else {
                throw Fault(description: "has no whole number of seconds since 1970 as \(name)")
            }
            return time
        }
        self.accessExpiresAt = try time("access_token_expires_at")
        self.refreshExpiresAt = try time("refresh_token_expires_at")
    }

    /// The times that a file may name. A time in milliseconds lies beyond them, and a token with such an end would never
    /// be renewed.
    private static let times: ClosedRange<Int64> = 0...99_999_999_999

    /// The lifetime of an access token where an answer names none, in seconds: the one that Tencent documents.
    private static let usualLifetime: Int64 = 86_400

    /// The content of the file.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.string("client_id", self.clientID)
            json.string("client_secret", self.clientSecret)
            json.string("refresh_token", self.refreshToken)
            json.string("access_token", self.accessToken)
            if let time = self.accessExpiresAt { json.number("access_token_expires_at", time) }
            if let time = self.refreshExpiresAt { json.number("refresh_token_expires_at", time) }
        }
        return json.text + [UInt8(ascii: "\n")]
    }

    /// Returns the URL that renews the pair, to be fetched with GET. It holds secrets, so it must not be
    /// shown or logged.
    ///
    /// - Parameter baseURL: the address of `oauth/token`.
    package func renewalURL(_ baseURL: BaseURL) -> String {
        let fields = [
            ("client_id", self.clientID), ("client_secret", self.clientSecret),
            ("grant_type", "refresh_token"), ("refresh_token", self.refreshToken),
        ]
        let query = fields.map { name, value in
            "\(name)=\(String(decoding: PercentEncoding.encode(Array(value.utf8)), as: UTF8.self))"
        }
        return "\(baseURL.text)?\(query.joined(separator: "&"))"
    }

    /// Tencent's own address of `oauth/token`.
    package static let standardURL = "https://api.e.qq.com/oauth/token"

    /// Returns the pair as renewed by a reply.
    ///
    /// - Parameters:
    ///   - reply: the body of the response to `renewalURL`.
    ///   - now: seconds since 1970.
    /// - Throws: a fault with Tencent's code, or if the body holds no tokens.
    package func renewed(by reply: [UInt8], at now: Int64) throws(Fault) -> TokenPair {
        guard let answer = MarketingReply(reply), let object = JSONObject(reply) else {
            throw Fault(description: "the response holds no answer of Tencent")
        }
        guard answer.code == 0 else { throw Fault(description: "Tencent answered with \(answer.code)") }
        guard let data = object.value("data").flatMap({ JSONObject(Array($0)) }),
            let access = data.string("access_token"), Self.isToken(access)
        else { throw Fault(description: "the answer holds no access token") }
        var pair = self
        pair.accessToken = access
        if let refresh = data.string("refresh_token"), Self.isToken(refresh) { pair.refreshToken = refresh }
        pair.accessExpiresAt =
            Self.end(of: data.integer("access_token_expires_in"), from: now) ?? now &+ Self.usualLifetime
        pair.refreshExpiresAt =
            Self.end(of: data.integer("refresh_token_expires_in"), from: now) ?? self.refreshExpiresAt
        return pair
    }

    /// Returns whether the access token is missing, or expires within a time. One whose end nobody knows may have
    /// expired, and only a renewal tells.
    ///
    /// - Parameters:
    ///   - margin: seconds.
    ///   - now: seconds since 1970.
    package func isDue(within margin: Int64, at now: Int64) -> Bool {
        guard !self.accessToken.isEmpty else { return true }
        return self.accessExpiresAt.map { $0 &- now < margin } ?? true
    }

    private static func isToken(_ text: String) -> Bool { self.isToken(Array(text.utf8)) }

    /// Returns whether a token can be carried by a header and a URL: 1 to 4096 visible characters of ASCII.
    package static func isToken(_ text: [UInt8]) -> Bool {
        (1...4_096).contains(text.count) && text.allSatisfy(\.isVisible)
    }

    /// Returns when a lifetime ends; nil for one that no token has.
    private static func end(of lifetime: Int64?, from now: Int64) -> Int64? {
        guard let lifetime, (1...10 * 365 * 86_400).contains(lifetime) else { return nil }
        return now &+ lifetime
    }
}

extension TokenPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "TokenPair(redacted)" }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
