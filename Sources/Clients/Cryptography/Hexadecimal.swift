/// Writes bytes as hexadecimal text, two lower-case digits for each byte.
package enum Hexadecimal {
    /// Returns the digits as UTF-8.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](room: bytes.count * 2) { text in
            for byte in bytes {
                text.append(self.digit(byte >> 4))
                text.append(self.digit(byte & 0x0F))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
