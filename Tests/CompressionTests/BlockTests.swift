import Testing

@testable import Compression

struct BlockTests {
    @Test func anLZ4BlockThatGrowsMuchIsDecompressed() throws {
        // One literal, then a copy of 4 + 15 + 255 × 200 + 7 bytes from one byte before, then a last literal.
        let block: [UInt8] =
            [0x1F, 0x61, 0x01, 0x00] + Array(repeating: 0xFF, count: 200) + [0x07]
            + [0x50] + Array("bcdef".utf8)
        let output = try LZ4Block.decompress(block, limit: 1 << 20)
        #expect(output == Array(repeating: 0x61, count: 1 + 4 + 15 + 255 * 200 + 7) + Array("bcdef".utf8))
        #expect(throws: BlockFault.tooLarge) { try LZ4Block.decompress(block, limit: output.count - 1) }
        #expect(try LZ4Block.decompress(block, limit: output.count) == output)
    }

    /// The lower half of the last token means nothing.
    @Test(arguments: [0x00, 0x01, 0x0F] as [UInt8]) func anEmptyOutputNeedsNoRoom(_ token: UInt8) throws {
        #expect(try LZ4Block.decompress([token], limit: 0) == [])
        #expect(try LZ4Block.decompress([token], limit: 1) == [])
        #expect(throws: BlockFault.tooLarge) { try LZ4Block.decompress([0x10, 0x61], limit: 0) }
    }

    /// The library takes the offset 0, and puts out what the memory held before.
    @Test func theOffsetZeroIsRefusedInALongBlockToo() {
        let block: [UInt8] = [0x17, 0x61, 0x00, 0x00, 0xC0] + Array("bcdefghijklm".utf8)
        #expect(throws: BlockFault.offset) { try LZ4Block.decompress(block, limit: 1 << 20) }
    }

    @Test(arguments: [
        ([], BlockFault.truncated), ([0x10], .truncated), ([0xF0], .truncated), ([0xF0, 0xFF], .truncated),
        ([0x10, 0x61, 0x01], .truncated), ([0x10, 0x61, 0x01, 0x00], .truncated),
        ([0x10, 0x61, 0x00, 0x00], .offset), ([0x10, 0x61, 0x02, 0x00], .offset),
        ([0x00, 0x01, 0x00], .offset),
    ])
    func aWrongLZ4BlockIsNamed(_ block: [UInt8], _ fault: BlockFault) {
        #expect(throws: fault) { try LZ4Block.decompress(block, limit: 1 << 20) }
    }

    @Test func aLengthThatNeverEndsIsTooLarge() {
        let block: [UInt8] = [0x1F, 0x61, 0x01, 0x00] + Array(repeating: 0xFF, count: 70_000)
        #expect(throws: BlockFault.tooLarge) { try LZ4Block.decompress(block, limit: 8 << 20) }
    }

    @Test func aSnappyBlockIsDecompressed() throws {
        // "abcd", then a copy of 8 bytes from 4 before.
        let block: [UInt8] = [0x0C, 0x0C] + Array("abcd".utf8) + [0x11, 0x04]
        #expect(try SnappyBlock.decompress(block, limit: 12) == Array("abcdabcdabcd".utf8))
        #expect(throws: BlockFault.tooLarge) { try SnappyBlock.decompress(block, limit: 11) }
        #expect(try SnappyBlock.decompress([0x00], limit: 0) == [])
    }

    @Test(arguments: [
        ([], BlockFault.truncated), ([0x80], .truncated), ([0x04, 0x0C, 0x61], .truncated),
        ([0x08, 0x0C] + Array("abcd".utf8), .truncated), ([0x08, 0x01, 0x00], .offset),
        ([0x08, 0x00, 0x61, 0x01, 0x02], .offset), ([0x02, 0x0C] + Array("abcd".utf8), .malformed),
        ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .malformed), ([0x08, 0xF0], .truncated),
    ])
    func aWrongSnappyBlockIsNamed(_ block: [UInt8], _ fault: BlockFault) {
        #expect(throws: fault) { try SnappyBlock.decompress(block, limit: 1 << 20) }
    }
}
