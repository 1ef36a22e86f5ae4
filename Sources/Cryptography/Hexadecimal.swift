/// Bytes as text, two lower-case digits each.
package enum Hexadecimal {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(self.digit(byte >> 4))
            text.append(self.digit(byte & 0x0F))
        }
        return text
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
