/// The base64 of URLs and file names (RFC 4648, section 5) as JWTs have it: `-` and `_`, no padding.
package enum Base64URL {
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
