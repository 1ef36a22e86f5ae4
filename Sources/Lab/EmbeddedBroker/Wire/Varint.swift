internal import NIOCore

extension ByteBuffer {
    /// Reads a zigzag variable-length number, as record batches contain them; nil if it is cut off or too
    /// long.
    mutating func readVarint() -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = self.readInteger(as: UInt8.self) else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
        }
        return nil
    }

    /// Writes a number in the same encoding.
    mutating func writeVarint(_ value: Int64) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest > 0x7f {
            self.writeInteger(UInt8(truncatingIfNeeded: rest & 0x7f | 0x80))
            rest >>= 7
        }
        self.writeInteger(UInt8(truncatingIfNeeded: rest))
    }
}
