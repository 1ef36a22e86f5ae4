/// The address at which pages are served, and the names under which browsers may reach them.
package struct ServedHost: Hashable, Sendable {
    /// The IP address or name of this machine that the server listens on.
    package var address: String
    /// Further names under which browsers may reach the server, without a port; behind a proxy, the proxy's
    /// name.
    ///
    /// A request for any other name is to be refused, so that no web site can point its own name at this
    /// server (DNS rebinding).
    package var names: [String]

    /// The names of a server on loopback.
    private static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    /// Creates a host and checks nothing.
    package init(_ address: String, names: [String] = []) {
        self.address = address
        self.names = names
    }

    /// Whether the address is loopback by its number. The name `localhost` does not count, because a file of
    /// the machine decides what it means.
    package var isLoopback: Bool {
        if self.address == "::1" { return true }
        let parts = self.address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The names that a request's `Host` may have, without a port. Empty for a wildcard address without
    /// further names.
    package var servedNames: Set<String> {
        var names = Set(self.names.map { $0.lowercased() })
        if self.isLoopback { names.formUnion(Self.loopbackNames) }
        if !["0.0.0.0", "::", ""].contains(self.address) { names.insert(self.bracketed.lowercased()) }
        return names
    }

    /// Whether a request's `Host` names this server.
    package func isMeant(by host: String) -> Bool {
        Self.name(ofHost: host).map { self.servedNames.contains($0) } ?? false
    }

    /// Returns the URL at which a browser finds the pages.
    package func url(port: Int, isSecure: Bool) -> String {
        "\(isSecure ? "https" : "http")://\(self.names.first ?? self.bracketed):\(port)/"
    }

    /// The address as it stands in a URL: IPv6 in brackets.
    private var bracketed: String { self.address.contains(":") ? "[\(self.address)]" : self.address }

    /// Returns the name in a `Host` header without the port, in lower case, with IPv6 in its brackets; nil
    /// for a text that is not a host.
    private static func name(ofHost host: String) -> String? {
        // No name with a port is longer, and a stranger chooses the text.
        guard host.utf8.count <= 300 else { return nil }
        let host = host.lowercased()
        let name: Substring
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            name = host[...end]
        } else {
            name = host.prefix { $0 != ":" }
        }
        let port = host[name.endIndex...]
        guard !name.isEmpty, port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil) else {
            return nil
        }
        return String(name)
    }
}
