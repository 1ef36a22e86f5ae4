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
