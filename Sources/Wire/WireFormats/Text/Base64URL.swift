/// Base64 for URLs and file names (RFC 4648, section 5) without padding, as JOSE uses it (RFC 7515, section
/// 2).
package enum Base64URL {
    /// Returns the decoded bytes. Nil for anything but canonical base64url; padding, white space and a second
    /// spelling of the same bytes are refused.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Digits.urlSafe.decode(Array(text).span)
    }

    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        Base64Digits.urlSafe.decode(text)
    }

    /// Returns the base64url of some bytes, without padding.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        Base64.encode(bytes).compactMap { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: character
            }
        }
    }
}
