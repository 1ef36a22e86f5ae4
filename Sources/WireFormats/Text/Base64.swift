/// Standard base64 (RFC 4648, section 4): `+` and `/`, padded, no line breaks.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](capacity: (bytes.count + 2) / 3 * 4) { text in
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

    /// Nil for anything but canonical, padded base64: a second spelling of the same bytes is refused too.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = self.value(of: character) else { return nil }
            group = group << 6 | UInt32(value)
            digits += 1
            if digits == 4 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
                digits = 0
            }
        }
        switch (digits, padding) {
        case (0, 0):
            return bytes
        case (2, 2) where group & 0x0F == 0:
            return bytes + [UInt8(truncatingIfNeeded: group >> 4)]
        case (3, 1) where group & 0x03 == 0:
            return bytes + [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)]
        default:
            return nil
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
