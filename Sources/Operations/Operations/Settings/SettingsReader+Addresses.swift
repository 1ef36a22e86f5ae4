extension SettingsReader {
    /// Reads an absolute `https` or `http` URL without user name or password. The setting is required if it
    /// has no default.
    package func url(
        _ key: String,
        default fallback: String? = nil,
        schemes: [String] = ["https", "http"],
        help: String
    ) -> String {
        self.url(key, fallback, isRequired: fallback == nil, schemes: schemes, help: help) ?? fallback ?? ""
    }

    /// Reads an absolute `https` or `http` URL that may be absent; nil if it is.
    package func optionalURL(_ key: String, help: String) -> String? {
        self.url(key, nil, isRequired: false, schemes: ["https", "http"], help: help)
    }

    private func url(
        _ key: String,
        _ fallback: String?,
        isRequired: Bool,
        schemes: [String],
        help: String
    ) -> String? {
        let url: String? = self.value(
            key,
            type: "a URL",
            defaultText: fallback,
            isRequired: isRequired,
            help: help
        ) { text throws(SettingRejection) in
            guard Self.isURL(text, schemes: schemes) else {
                let forms = schemes.map { "\($0)://host" }.joined(separator: " or ")
                throw SettingRejection("must be a URL as \(forms), without user name or password")
            }
            return text
        }
        let path = self.path.appending(key)
        // A default counts only where its group is used: the file has it.
        let isUsed = self.findOverride(path) != nil || self.file?.find(self.path).found != nil
        if let address = url ?? fallback, isUsed, !self.isRehearsal {
            self.notebook.noteURL(address, of: path)
        }
        return url
    }

    /// The URLs that were read, each with the name of its setting. Defaults are among them where the file has
    /// other settings of their group.
    package var urls: [(key: String, url: String)] { self.notebook.urls }

    /// Reads Kafka's list of bootstrap servers: `host:port[,host:port…]`. The setting is required if it has
    /// no default.
    package func brokers(_ key: String, default fallback: String? = nil, help: String) -> String {
        self.string(key, default: fallback, help: help, must: "be host:port[,host:port…]") { text in
            text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { Self.isHostAndPort($0) }
        }
    }

    static func isURL(_ text: String, schemes: [String]) -> Bool {
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0 + "://") }) else {
            return false
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            return false
        }
        let authority = text.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, !authority.contains("@") else { return false }
        let portStart = authority.lastIndex(of: ":").flatMap { colon in
            // A colon before a closing bracket is part of an IPv6 address.
            authority[colon...].contains("]") ? nil : colon
        }
        guard let portStart else { return Self.isHost(authority) }
        return Self.isHostAndPort(authority) && portStart != authority.startIndex
    }

    static func isHostAndPort(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":"), Self.isHost(text[..<colon]) else { return false }
        let port = text[text.index(after: colon)...]
        guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return false
        }
        return Int(port).map { (1...65_535).contains($0) } ?? false
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]"), text.count > 2 {
            return text.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                switch $0 {
                case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
                default: false
                }
            }
    }
}
