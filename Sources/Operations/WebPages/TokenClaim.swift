import WireFormats

/// The token that a request carries: as `Bearer TOKEN`, or as the password of `Basic`, for which browsers can
/// ask their users.
package struct TokenClaim: Sendable {
    /// The bytes of the token, not yet checked.
    package var token: [UInt8]
    /// The user's name in `Basic`; nil for `Bearer`.
    package var name: String?

    /// Reads a token; nil for any other scheme and for malformed Base64.
    ///
    /// - Parameter authorization: the value of the header `Authorization`.
    package init?(_ authorization: String) {
        // By bytes: a stranger chooses the text, and it can be long.
        let parts = authorization.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, parts[0].count <= 16 else { return nil }
        let text = String(decoding: parts[1], as: UTF8.self).trimmed
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "bearer": self.token = Array(text.utf8)
        case "basic":
            guard let bytes = Base64.decode(text.utf8),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            self.token = Array(bytes[(colon + 1)...])
            self.name = String(decoding: bytes[..<colon], as: UTF8.self)
        default: return nil
        }
    }
}
