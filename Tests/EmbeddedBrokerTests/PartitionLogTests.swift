import NIOCore
import Testing

@testable import EmbeddedBroker

struct PartitionLogTests {
    /// Batches of 3, 1 and 2 records: offsets 0...2, 3 and 4...5.
    private func log() throws -> PartitionLog {
        var log = PartitionLog()
        for count in [3, 1, 2] as [Int32] {
            _ = log.append(try ProducerTableTests.batch(from: 0, count: count))
        }
        return log
    }

    private func offsets(_ batches: [RecordBatch]) -> [Int64] { batches.map(\.baseOffset) }

    @Test func aReadBeginsWithTheBatchThatHoldsTheOffset() throws {
        let log = try self.log()
        for (offset, expected) in [(0, [0, 3, 4]), (2, [0, 3, 4]), (3, [3, 4]), (5, [4]), (6, [])]
            as [(Int64, [Int64])]
        {
            #expect(self.offsets(log.read(from: offset, to: 6, atMost: .max, always: false)) == expected)
        }
        #expect(self.offsets(log.read(from: 0, to: 4, atMost: .max, always: false)) == [0, 3])
        #expect(log.read(from: 5, to: 4, atMost: .max, always: true).isEmpty)
    }

    @Test func aReadEndsBeforeItsLimitUnlessThatMeansNothing() throws {
        let log = try self.log()
        let sizes = log.read(from: 0, to: 6, atMost: .max, always: false).map(\.bytes.readableBytes)
        #expect(self.offsets(log.read(from: 0, to: 6, atMost: sizes[0] + sizes[1], always: false)) == [0, 3])
        #expect(self.offsets(log.read(from: 0, to: 6, atMost: sizes[0] + sizes[1] - 1, always: false)) == [0])
        #expect(self.offsets(log.read(from: 0, to: 6, atMost: 1, always: true)) == [0])
        #expect(log.read(from: 0, to: 6, atMost: 1, always: false).isEmpty)
        #expect(log.byteCount(from: 0, to: 6) == sizes.reduce(0, +))
        #expect(log.byteCount(from: 3, to: 4) == sizes[1])
        #expect(log.byteCount(from: 4, to: 3) == 0)
    }

    @Test func offsetsAreWrittenIntoTheBatches() throws {
        let batches = try self.log().read(from: 3, to: 6, atMost: .max, always: false)
        #expect(batches.map { $0.bytes.getInteger(at: $0.bytes.readerIndex, as: Int64.self) } == [3, 4])
        #expect(batches.map { $0.bytes.getInteger(at: $0.bytes.readerIndex + 12, as: Int32.self) } == [0, 0])
    }

    @Test func theStartFollowsWhatIsDropped() throws {
        var log = try self.log()
        log.truncate(before: 1)
        #expect(log.startOffset == 1)
        #expect(self.offsets(log.read(from: 1, to: 6, atMost: .max, always: false)) == [0, 3, 4])
        log.truncate(before: 3)
        #expect(self.offsets(log.read(from: 0, to: 6, atMost: .max, always: false)) == [3, 4])
        log.retain(atMost: 1)
        #expect(log.startOffset == 4)
        #expect(self.offsets(log.read(from: 0, to: 6, atMost: .max, always: false)) == [4])
        log.truncate(before: 100)
        #expect((log.startOffset, log.endOffset) == (6, 6))
        #expect(log.byteCount == 0)
    }

    /// From the check values that every catalogue of checksums gives.
    @Test func checksumsAreThoseOfCastagnoli() {
        #expect(Checksum.crc32c(ByteBuffer(string: "123456789")) == 0xE306_9283)
        #expect(Checksum.crc32c(ByteBuffer()) == 0)
        #expect(Checksum.crc32c(ByteBuffer(repeating: 0, count: 32)) == 0x8A91_36AA)
    }

    @Test(arguments: [0, -1, 1, 63, -64, 64, 300, -301, .max, .min] as [Int64])
    func varintsComeBack(value: Int64) {
        var buffer = ByteBuffer()
        buffer.writeVarint(value)
        let whole = buffer
        #expect(buffer.readVarint() == value)
        #expect(buffer.readableBytes == 0)
        for length in 0..<whole.readableBytes {
            var part = whole.getSlice(at: 0, length: length) ?? ByteBuffer()
            #expect(part.readVarint() == nil)
        }
    }
}
