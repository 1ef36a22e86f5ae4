/// Where an upstream is: a scheme, a host, perhaps a port and a path, without the slash at the end.
package struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// Says what is wrong with a base URL, in a sentence for whoever set it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    package let text: String

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

    /// Whether what is sent there leaves this machine only encrypted.
    package var isSafeForSecrets: Bool {
        let text = self.text.lowercased()
        guard !text.hasPrefix("https://") else { return true }
        let authority = text.dropFirst("http://".count).prefix { $0 != "/" }
        if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
        return ["127.0.0.1", "localhost"].contains(authority.prefix { $0 != ":" })
    }
}
