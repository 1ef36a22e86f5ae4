internal import CLZ4

/// One raw LZ4 block: no frame, no length, no checksum
/// (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md).
package enum LZ4Block {
    /// Decompresses a block.
    ///
    /// The length of the output is not in the block, and 64 KiB can stand for 16 MiB. So the first try has
    /// room for a usual ratio, and the block is walked through only if that fails: the walk finds the length,
    /// or names the fault.
    ///
    /// - Parameter limit: The most bytes of output.
    package static func decompress(_ block: [UInt8], limit: Int) throws(BlockFault) -> [UInt8] {
        let usual = min(limit, block.count.multipliedReportingOverflow(by: 8).partialValue + 64)
        if let output = self.decompress(block, capacity: usual) { return output }
        let length = try self.outputLength(of: block, limit: limit)
        guard let output = self.decompress(block, capacity: length), output.count == length else {
            throw .malformed
        }
        return output
    }

    /// Calls the library; nil if the block is wrong or its output is longer than the capacity.
    private static func decompress(_ block: [UInt8], capacity: Int) -> [UInt8]? {
        guard let size = Int32(exactly: block.count), let room = Int32(exactly: capacity), size > 0 else {
            return nil
        }
        var succeeded = false
        let output = unsafe [UInt8](unsafeUninitializedCapacity: max(1, capacity)) { output, count in
            let written = unsafe block.withUnsafeBytes { input in
                unsafe LZ4_decompress_safe(
                    input.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    size,
                    room
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
            let offset = Int(try reader.byte()) | Int(try reader.byte()) << 8
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
