internal import CLZ4

/// One raw LZ4 block: no frame, no length, no checksum
/// (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md).
package enum LZ4Block {
    /// Decompresses a block.
    ///
    /// The length of the output is not in the block, and 64 KiB can stand for 16 MiB. So the block is walked
    /// through first. The walk finds the length, names a fault, and refuses the offset 0, which liblz4 1.9.4
    /// takes: the output would be whatever the memory held before.
    ///
    /// - Parameter limit: The most bytes of output.
    package static func decompress(_ block: [UInt8], limit: Int) throws(BlockFault) -> [UInt8] {
        let length = try self.outputLength(of: block, limit: limit)
        // Near the end of its room the library refuses blocks that it takes where there is more of it.
        let usual = unsafe self.decompress(block, room: length + 64) {
            unsafe LZ4_decompress_safe($0, $1, $2, $3)
        }
        if let usual, usual.count == length { return usual }
        // It also refuses a block that ends with fewer literals than a compressor leaves, which the format does not
        // ask for. It takes the block where more input follows, of which it reads nothing once the output is full.
        let longer = block + [UInt8](repeating: 0, count: 64)
        let output = unsafe self.decompress(longer, room: length) {
            unsafe LZ4_decompress_safe_partial($0, $1, $2, $3, $3)
        }
        guard let output, output.count == length else { throw .malformed }
        return output
    }

    /// Calls a function of the library with the input, the output, the size of the input and the room for the output.
    ///
    /// - Returns: Nil if the library refuses the block.
    private static func decompress(
        _ block: [UInt8],
        room: Int,
        _ function: (UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32) -> Int32
    ) -> [UInt8]? {
        guard let size = Int32(exactly: block.count), let capacity = Int32(exactly: room) else { return nil }
        var succeeded = false
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            let written = unsafe block.withUnsafeBytes { input in
                unsafe function(
                    input.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    size,
                    capacity
                )
            }
            succeeded = written >= 0
            count = succeeded ? Int(written) : 0
        }
        return succeeded ? output : nil
    }

    /// Returns the length of the output, without making it. The last sequence of a block has literals only.
    private static func outputLength(of block: [UInt8], limit: Int) throws(BlockFault) -> Int {
        var reader = BlockReader(block)
        var length = 0
        while true {
            let token = try reader.byte()
            let literals = try reader.lz4Length(Int(token >> 4), limit: limit)
            try reader.skip(literals)
            length += literals
            guard length <= limit else { throw .tooLarge }
            guard !reader.isAtEnd else { return length }
            let offset = try reader.number(ofBytes: 2)
            guard offset > 0, offset <= length else { throw .offset }
            length += try reader.lz4Length(Int(token & 0x0F), limit: limit) + 4
            guard length <= limit else { throw .tooLarge }
        }
    }
}

extension BlockReader {
    /// Reads the rest of a length whose first four bits are in the token: 15 goes on in the bytes that
    /// follow, until one is not 255. A length far above the limit is not read to its end.
    fileprivate mutating func lz4Length(_ first: Int, limit: Int) throws(BlockFault) -> Int {
        guard first == 15 else { return first }
        var length = first
        while true {
            let more = try self.byte()
            length += Int(more)
            if more != 255 { return length }
            guard length <= limit else { throw .tooLarge }
        }
    }
}
