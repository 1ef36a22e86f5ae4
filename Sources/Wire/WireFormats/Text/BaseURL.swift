/// The address of an upstream: a scheme, a host, perhaps a port and a path, without a slash at the end.
package struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// The reason why a text is not a base URL, in a sentence for the person who configured it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The sentence. It does not quote the text.
        package var description: String
    }

    /// The URL without slashes at its end.
    package let text: String

    /// Checks a configured URL: `http://` or `https://`, a host, no user name, query or fragment, visible
    /// ASCII only.
    package init(_ text: String) throws(Fault) {
        let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
        guard let scheme else {
            throw Fault(description: "a base URL starts with http:// or https://")
        }
        var bytes = Array(text.utf8)
        while bytes.last == UInt8(ascii: "/"), bytes.count > scheme.utf8.count {
            bytes.removeLast()
        }
        let rest = bytes.dropFirst(scheme.utf8.count)
        guard let first = rest.first, first != UInt8(ascii: "/"), first != UInt8(ascii: ":") else {
            throw Fault(description: "a base URL names a host")
        }
        guard rest.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }) else {
            throw Fault(description: "a base URL has no query, no fragment and no space")
        }
        guard !rest.contains(UInt8(ascii: "@")) else {
            throw Fault(description: "a base URL holds no user name or password")
        }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    package var description: String { self.text }

    /// Whether a request to this URL leaves the machine only encrypted: `https`, or `http` to this machine
    /// itself.
    package var isSafeForSecrets: Bool {
        let text = self.text.lowercased()
        guard !text.hasPrefix("https://") else { return true }
        let authority = text.dropFirst("http://".count).prefix { $0 != "/" }
        if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
        return ["127.0.0.1", "localhost"].contains(authority.prefix { $0 != ":" })
    }
}
