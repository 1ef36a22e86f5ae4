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
        guard let output = self.decompress(block, length: length), output.count == length else {
            throw .malformed
        }
        return output
    }

    /// Calls the library; nil if it refuses the block.
    private static func decompress(_ block: [UInt8], length: Int) -> [UInt8]? {
        // Near the end of its room the library refuses blocks that it takes where there is more of it.
        let room = length + 64
        guard let size = Int32(exactly: block.count), let capacity = Int32(exactly: room) else { return nil }
        var succeeded = false
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            let written = unsafe block.withUnsafeBytes { input in
                unsafe LZ4_decompress_safe(
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
