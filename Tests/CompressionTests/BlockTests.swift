import ServiceKit
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

    /// The library asks for five literals at the end, and for more room than the output. The format asks for neither, and
    /// a body that was cut between two sequences is such a block.
    @Test(arguments: 1...2_000 as ClosedRange<UInt64>) func aBlockMayEndWithFewLiterals(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (block, output): ([UInt8], [UInt8]) = ([], [])
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let literals = (0..<Int.random(in: output.isEmpty ? 1...20 : 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let match = Int.random(in: 4...600, using: &random)
            output += literals
            let offset = Int.random(in: 1...output.count, using: &random)
            block += Self.sequence(literals, match: match - 4, offset: offset)
            for _ in 0..<match { output.append(output[output.count - offset]) }
        }
        let last = (0..<Int.random(in: 0...6, using: &random)).map { UInt8($0) }
        block += Self.sequence(last, match: 0, offset: nil)
        output += last
        #expect(try LZ4Block.decompress(block, limit: output.count) == output)
    }

    /// One sequence of a block, by the description of the format.
    private static func sequence(_ literals: [UInt8], match: Int, offset: Int?) -> [UInt8] {
        func rest(_ length: Int) -> [UInt8] {
            length < 15
                ? [] : Array(repeating: 255, count: (length - 15) / 255) + [UInt8((length - 15) % 255)]
        }
        let token = UInt8(min(15, literals.count) << 4 | min(15, match))
        let end = offset.map { [UInt8($0 & 255), UInt8($0 >> 8)] + rest(match) } ?? []
        return [token] + rest(literals.count) + literals + end
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
