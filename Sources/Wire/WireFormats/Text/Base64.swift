import Cryptography

/// Standard base64 (RFC 4648, section 4): `+` and `/`, with padding, without line breaks.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// Returns the padded base64 of some bytes.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](room: (bytes.count + 2) / 3 * 4) { text in
            let alphabet = self.alphabet
            var index = 0
            while index + 2 < bytes.count {
                let group =
                    UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                text.append(alphabet[Int(group >> 18)])
                text.append(alphabet[Int(group >> 12 & 0x3F)])
                text.append(alphabet[Int(group >> 6 & 0x3F)])
                text.append(alphabet[Int(group & 0x3F)])
                index += 3
            }
            switch bytes.count - index {
            case 1:
                text.append(alphabet[Int(bytes[index] >> 2)])
                text.append(alphabet[Int(bytes[index] & 0x03) << 4])
                text.append(UInt8(ascii: "="))
                text.append(UInt8(ascii: "="))
            case 2:
                let group = UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
                text.append(alphabet[Int(group >> 10)])
                text.append(alphabet[Int(group >> 4 & 0x3F)])
                text.append(alphabet[Int(group << 2 & 0x3F)])
                text.append(UInt8(ascii: "="))
            default:
                break
            }
        }
    }

    /// Returns the decoded bytes. Nil for anything but canonical, padded base64; a second spelling of the
    /// same bytes is refused too.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        self.decode(Array(text).span)
    }

    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var count = text.count
        // At most two padding characters are removed. A third one is then read as a digit, and refused.
        for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") {
            count -= 1
        }
        return Base64Digits.standard.decode(text.extracting(first: count))
    }
}
