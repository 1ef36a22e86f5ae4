/// An address that pages are served at, and the names that browsers may know them by.
package struct ServedHost: Hashable, Sendable {
    /// An address of this machine.
    package var address: String
    /// More names, without a port: behind a proxy, the proxy's. A request for any other name is to be refused, so that
    /// no site can point a name of its own at this server.
    package var names: [String]

    private static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    package init(_ address: String, names: [String] = []) {
        self.address = address
        self.names = names
    }

    /// Only what is loopback by its number: what `localhost` is, a file decides.
    package var isLoopback: Bool {
        if self.address == "::1" { return true }
        let parts = self.address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// What a request's `Host` may say before its port.
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

    /// Where a browser finds the pages.
    package func url(port: Int, isSecure: Bool) -> String {
        "\(isSecure ? "https" : "http")://\(self.names.first ?? self.bracketed):\(port)/"
    }

    private var bracketed: String { self.address.contains(":") ? "[\(self.address)]" : self.address }

    /// Without the port; nil for what is no host. In small letters, and IPv6 in its brackets.
    private static func name(ofHost host: String) -> String? {
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
