internal import NIOCore

/// CRC-32C (Castagnoli, reflected). It protects a record batch from its attributes to its end.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0x82f6_3b78 : value >> 1
        }
    }

    static func crc32c(_ bytes: ByteBuffer) -> UInt32 {
        let table = self.table
        let span = bytes.readableBytesUInt8Span
        var value = UInt32.max
        for index in span.indices {
            value = value >> 8 ^ table[Int((value ^ UInt32(span[index])) & 0xff)]
        }
        return ~value
    }
}
