internal import CSnappy

/// One raw Snappy block: the length of the output, then the compressed bytes; no frame, no checksum
/// (https://github.com/google/snappy/blob/main/format_description.txt).
package enum SnappyBlock {
    /// Decompresses a block.
    ///
    /// - Parameter limit: The most bytes of output. The length that the block announces is compared with it
    ///   before any memory is taken.
    package static func decompress(_ block: [UInt8], limit: Int) throws(BlockFault) -> [UInt8] {
        var reader = BlockReader(block)
        let length = try reader.snappyLength()
        guard length <= limit else { throw .tooLarge }
        if let output = self.decompress(block, length: length) { return output }
        throw Self.fault(in: reader, length: length)
    }

    private static func decompress(_ block: [UInt8], length: Int) -> [UInt8]? {
        var succeeded = false
        let output = unsafe [UInt8](unsafeUninitializedCapacity: max(1, length)) { output, count in
            var written = length
            let status = unsafe block.withUnsafeBytes { input in
                unsafe snappy_uncompress(
                    input.baseAddress?.assumingMemoryBound(to: CChar.self),
                    input.count,
                    UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    &written
                )
            }
            succeeded = status == SNAPPY_OK && written == length
            count = succeeded ? written : 0
        }
        return succeeded ? output : nil
    }

    /// Finds the first fault of a block that the library has refused.
    private static func fault(in rest: BlockReader, length: Int) -> BlockFault {
        var reader = rest
        var made = 0
        do throws(BlockFault) {
            while !reader.isAtEnd {
                let tag = try reader.byte()
                if tag & 3 == 0 {
                    let long = Int(tag >> 2) - 59
                    let count = long > 0 ? try reader.number(ofBytes: long) + 1 : Int(tag >> 2) + 1
                    try reader.skip(count)
                    made += count
                } else {
                    let (offset, count) = try reader.snappyCopy(tag)
                    guard offset > 0, offset <= made else { return .offset }
                    made += count
                }
                guard made <= length else { return .malformed }
            }
            return made < length ? .truncated : .malformed
        } catch {
            return error
        }
    }
}

extension BlockReader {
    /// Reads the announced length: a varint of at most 32 bits.
    fileprivate mutating func snappyLength() throws(BlockFault) -> Int {
        var length = 0
        for place in 0..<5 {
            let byte = try self.byte()
            length |= Int(byte & 0x7F) << (7 * place)
            if byte < 0x80 {
                guard length <= UInt32.max else { throw .malformed }
                return length
            }
        }
        throw .malformed
    }

    /// Reads the rest of a copy: how far back it begins, and how many bytes it makes.
    fileprivate mutating func snappyCopy(_ tag: UInt8) throws(BlockFault) -> (offset: Int, count: Int) {
        switch tag & 3 {
        case 1: (Int(tag >> 5) << 8 | Int(try self.byte()), Int(tag >> 2 & 7) + 4)
        case 2: (try self.number(ofBytes: 2), Int(tag >> 2) + 1)
        default: (try self.number(ofBytes: 4), Int(tag >> 2) + 1)
        }
    }
}
