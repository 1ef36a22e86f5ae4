import Cryptography

/// The common part of the two base64 alphabets: a digit holds six bits, and the number of digits is the
/// smallest that holds the bytes.
struct Base64Digits {
    static let standard = Base64Digits(62, is: "+", 63, is: "/")
    static let urlSafe = Base64Digits(62, is: "-", 63, is: "_")

    /// The value of each byte as a digit; a byte that is no digit has the value `noDigit`, with a bit above
    /// the sixth.
    private let values: [UInt8]
    private static let noDigit: UInt8 = 0x80

    private init(
        _ secondLast: UInt8,
        is secondLastDigit: Unicode.Scalar,
        _ last: UInt8,
        is lastDigit: Unicode.Scalar
    ) {
        var values = [UInt8](repeating: Self.noDigit, count: 256)
        for value in 0..<26 as Range<UInt8> {
            values[Int(UInt8(ascii: "A") + value)] = value
            values[Int(UInt8(ascii: "a") + value)] = value + 26
        }
        for value in 0..<10 as Range<UInt8> {
            values[Int(UInt8(ascii: "0") + value)] = value + 52
        }
        values[Int(UInt8(ascii: secondLastDigit))] = secondLast
        values[Int(UInt8(ascii: lastDigit))] = last
        self.values = values
    }

    /// Decodes digits without padding. Nil if a character is no digit, a single digit is left over, or the
    /// unused bits of the last digit are not zero.
    func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        let values = self.values.span
        var seen: UInt8 = 0
        let bytes = [UInt8](room: text.count / 4 * 3 + 2) { bytes in
            var index = 0
            while index + 3 < text.count {
                let a = values[Int(text[index])]
                let b = values[Int(text[index + 1])]
                let c = values[Int(text[index + 2])]
                let d = values[Int(text[index + 3])]
                seen |= a | b | c | d
                bytes.append(a << 2 | b >> 4)
                bytes.append(b << 4 | c >> 2)
                bytes.append(c << 6 | d)
                index += 4
            }
            if rest >= 2 {
                let a = values[Int(text[index])]
                let b = values[Int(text[index + 1])]
                let c = rest == 3 ? values[Int(text[index + 2])] : 0
                seen |= a | b | c
                bytes.append(a << 2 | b >> 4)
                if rest == 3 {
                    bytes.append(b << 4 | c >> 2)
                }
                let leftOver = rest == 3 ? c << 6 : b << 4
                seen |= leftOver == 0 ? 0 : Self.noDigit
            }
        }
        return seen & Self.noDigit == 0 ? bytes : nil
    }
}
