/// The target of a callback report: the `callback` of a click, which came through phones and networks that
/// nobody trusts.
///
/// Only the parts that were checked are put together again, so no other reader of URLs can understand the
/// text in another way. The address that the host has is checked when the connection is made.
package struct CallbackURL: Hashable, Sendable {
    /// The hosts that a callback may name, unless others are configured. Tencent names them in its document
    /// of self-attribution.
    package static let standardHosts = ["tracking.e.qq.com", "api.e.qq.com"]
    /// The most bytes of a callback as the record carries it.
    package static let bytesLimit = 4_096

    /// The host in lower case: one of the list.
    package let host: String
    /// `http` or `https`, the host, and a port that is not the standard one.
    package let origin: String
    /// The path and the query, as they are sent.
    package let target: String

    /// The rules for callbacks of a worker.
    package struct Rules: Hashable, Sendable {
        /// The hosts, in lower case.
        package var hosts: Set<String>
        /// Whether a host of the list may have a port of its own. Only a lab needs that.
        package var allowsPorts: Bool

        package init(hosts: Set<String> = Set(CallbackURL.standardHosts), allowsPorts: Bool = false) {
            self.hosts = hosts
            self.allowsPorts = allowsPorts
        }

        /// Returns the reason why no callback could name one of these hosts, as the end of a sentence; nil if each is a
        /// host and nothing else.
        package static func fault(of hosts: [String]) -> String? {
            guard let wrong = hosts.first(where: { !self.isHost($0) }) else { return nil }
            return "must be hosts like tracking.e.qq.com, without scheme, port, path or wildcard, and not "
                + "\"\(SafeText.line(wrong, limit: 64))\""
        }

        private static func isHost(_ text: String) -> Bool {
            let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return text.utf8.count <= 253
                && labels.allSatisfy { label in
                    (1...63).contains(label.count)
                        && label.map(\.lowercased).allSatisfy {
                            $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                        }
                }
        }
    }

    /// Reads the value of the click feed's parameter `callback`.
    ///
    /// The value is percent-decoded exactly once. A value that begins with `http://` or `https://` was decoded
    /// before, because an encoded one has no `://`, and is taken as it is. The `cb` inside keeps its own
    /// escapes.
    ///
    /// - Throws: the reason why nothing is sent there. It does not quote the value.
    package init(_ value: String, _ rules: Rules) throws(Refusal) {
        guard (1...Self.bytesLimit).contains(value.utf8.count) else { throw .malformed }
        let given = Array(value.utf8)
        let text = Self.isDecoded(value) ? given : PercentEncoding.decode(given[...])
        guard text.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") }),
            let scheme = Self.scheme(of: text[...])
        else { throw .malformed }
        let rest = text.dropFirst(scheme.utf8.count + 3)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let target = rest.dropFirst(authority.count)
        guard !authority.contains(UInt8(ascii: "@")) else { throw .credentials }
        guard target.first == UInt8(ascii: "/") else { throw .malformed }
        let host = authority.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercased)
        let name = String(decoding: host, as: UTF8.self)
        guard rules.hosts.contains(name) else { throw .host }
        let port = authority.dropFirst(host.count)
        guard let suffix = Self.portSuffix(port, of: scheme, rules) else { throw .port }
        self.host = name
        self.origin = "\(scheme)://\(name)\(suffix)"
        self.target = String(decoding: target, as: UTF8.self)
        guard !self.asksForToken || !self.namesToken else { throw .malformed }
    }

    /// The letters of the parameters that belong to a request with a token.
    private static let tokenParameters: Set<String> = ["accesstoken", "timestamp", "nonce"]

    /// Whether the query has a token, a time or a nonce of its own, which might be read in place of ours. Only
    /// letters are compared, because some readers take `access.token` or `access_token[]` for `access_token`.
    private var namesToken: Bool {
        let query = Array(self.target.utf8).drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let parameters = query.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }
        return parameters.contains { parameter in
            let name = PercentEncoding.decode(parameter.prefix { $0 != UInt8(ascii: "=") })
            let letters = name.map(\.lowercased).filter(\.isLowercase)
            return Self.tokenParameters.contains(String(decoding: letters, as: UTF8.self))
        }
    }

    /// Whether a callback has been percent-decoded already: then it begins with `http://` or `https://`.
    package static func isDecoded(_ value: String) -> Bool {
        self.scheme(of: Array(value.utf8.prefix(8))[...]) != nil
    }

    /// The whole URL. It holds the click, so it must not be logged.
    package var text: String { self.origin + self.target }

    /// Whether the target is `user_actions/add` of some version, which asks for a token in a header.
    package var asksForToken: Bool {
        let path = self.target.prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[2] == "user_actions", parts[3] == "add" else {
            return false
        }
        return parts[1].first == "v" && parts[1].utf8.dropFirst().allSatisfy { $0.isDigit || $0 == 0x2E }
    }

    /// Returns the body of a callback with these actions.
    package static func body(of actions: [[UInt8]]) -> [UInt8] {
        var body: [UInt8] = [UInt8(ascii: "{")]
        UserAction.append(actions, to: &body)
        return body
    }

    private static func scheme(of text: ArraySlice<UInt8>) -> String? {
        let start = text.prefix(8).map(\.lowercased)
        if start.starts(with: "https://".utf8) { return "https" }
        return start.starts(with: "http://".utf8) ? "http" : nil
    }

    /// Returns the port as it stands in an origin: nothing for the standard one. Nil for a port that is not
    /// allowed.
    private static func portSuffix(_ port: ArraySlice<UInt8>, of scheme: String, _ rules: Rules) -> String? {
        guard !port.isEmpty else { return "" }
        guard port.count <= 6, let number = port.dropFirst().decimal(as: UInt16.self), number > 0 else {
            return nil
        }
        if number == (scheme == "https" ? 443 : 80) { return "" }
        return rules.allowsPorts ? ":\(number)" : nil
    }

    /// The reason why a callback is no target.
    package enum Refusal: String, Error, Hashable, Sendable, CaseIterable {
        /// The value is no URL of the web, is longer than the limit, or holds bytes that a URL cannot hold; or it asks
        /// for a token and has one in its query.
        case malformed
        /// The URL holds a user name or a password.
        case credentials
        /// The URL names a port that is not the standard one of its scheme.
        case port
        /// The host is not on the list.
        case host

        /// The reason of the outcome.
        package var reason: Reason {
            switch self {
            case .malformed:
                Reason("callback.malformed", "The callback of the click is not a URL that may be called.")
            case .credentials: Reason("callback.credentials", "The callback holds a user name or a password.")
            case .port: Reason("callback.port", "The callback names a port that is not the standard one.")
            case .host: Reason("callback.host", "The callback's host is not on the list of allowed hosts.")
            }
        }
    }
}
