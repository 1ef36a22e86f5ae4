import Cryptography

/// The one percent-encoding of the fleet: letters, digits, `-`, `_` and `.` stay, every other byte, `~` too,
/// becomes `%` and two upper-case hexadecimal digits. The case of the digits matters where the text is
/// signed.
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns the percent-encoded bytes.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](room: bytes.count * self.growthLimit) { text in
            self.append(bytes, to: &text)
        }
    }

    /// The most bytes that one byte becomes.
    package static let growthLimit = 3

    /// Appends percent-encoded bytes. The output must have room for all of them: `growthLimit` times their
    /// number is enough.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout OutputSpan<UInt8>) {
        let digits = self.digits
        for byte in bytes {
            if self.stays(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 0x0F)])
            }
        }
    }

    /// Returns the bytes that an encoded text stands for. A `%` without two hexadecimal digits stays as it
    /// is.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, let high = digits.first?.hexadecimalValue,
                let low = digits.last?.hexadecimalValue
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func stays(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}
