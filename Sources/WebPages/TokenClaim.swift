import WireFormats

/// What a request shows to be let in: `Bearer TOKEN`, or `Basic` with any name and the token for a password, which
/// browsers can ask for themselves.
package struct TokenClaim: Sendable {
    package var token: [UInt8]
    /// Who `Basic` says it is.
    package var name: String?

    /// - Parameter authorization: the header of that name; nil comes of any that is neither of the two.
    package init?(_ authorization: String) {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer": self.token = Array(parts[1].trimmed.utf8)
        case "basic":
            guard let bytes = Base64.decode(parts[1].trimmed.utf8),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            self.token = Array(bytes[(colon + 1)...])
            self.name = String(decoding: bytes[..<colon], as: UTF8.self)
        default: return nil
        }
    }
}
