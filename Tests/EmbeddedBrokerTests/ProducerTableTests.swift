import NIOCore
import Testing

@testable import EmbeddedBroker

struct ProducerTableTests {
    /// A batch of `count` records as an idempotent producer numbers it. Only its header matters here.
    static func batch(
        _ producer: Int64 = 7,
        epoch: Int16 = 0,
        from sequence: Int32,
        count: Int32 = 1,
        isTransactional: Bool = false
    ) throws -> RecordBatch {
        var records = ByteBuffer()
        for index in 0..<count {
            records.writeVarint(6)
            records.writeInteger(UInt8(0))
            records.writeVarint(0)
            records.writeVarint(Int64(index))
            records.writeBytes([1, 1, 0])  // No key, no value, no headers; fewer than 64 records.
        }
        var checked = ByteBuffer()
        checked.writeMultipleIntegers(Int16(isTransactional ? 0x10 : 0), count - 1, Int64(0), Int64(0))
        checked.writeMultipleIntegers(producer, epoch, sequence, count)
        checked.writeImmutableBuffer(records)
        var bytes = ByteBuffer()
        bytes.writeMultipleIntegers(Int64(0), Int32(checked.readableBytes + 9), Int32(-1), Int8(2))
        bytes.writeInteger(Checksum.crc32c(checked))
        bytes.writeImmutableBuffer(checked)
        return try RecordBatch(validating: bytes)
    }

    /// A table that has taken these batches, at offsets 0, 10, 20…
    private func table(_ batches: [RecordBatch]) -> ProducerTable {
        var table = ProducerTable(limit: 10)
        for (index, batch) in batches.enumerated() { table.appended(batch, at: Int64(index * 10)) }
        return table
    }

    /// Found by `flotilla-lab chaos`: librdkafka takes the success of a second batch for that of the first, which was refused.
    @Test func whoseFirstBatchWasRefusedBeginsWithIt() throws {
        var table = self.table([])
        #expect(table.verdict(on: try Self.batch(from: 1)) == .append)
        table.refused(try Self.batch(from: 0))
        table.refused(try Self.batch(from: 1))
        #expect(table.verdict(on: try Self.batch(from: 1)) == .refuse(.outOfOrderSequenceNumber))
        #expect(table.verdict(on: try Self.batch(8, from: 1)) == .append)
        #expect(table.verdict(on: try Self.batch(from: 0)) == .append)
        table.appended(try Self.batch(from: 0), at: 0)
        #expect(table.verdict(on: try Self.batch(from: 1)) == .append)
    }

    @Test func sequencesHaveNoGapsAndNoStepsBack() throws {
        let table = self.table([try Self.batch(from: 0, count: 3)])
        #expect(table.verdict(on: try Self.batch(from: 3)) == .append)
        #expect(table.verdict(on: try Self.batch(from: 4)) == .refuse(.outOfOrderSequenceNumber))
        #expect(table.verdict(on: try Self.batch(from: 2)) == .refuse(.outOfOrderSequenceNumber))
    }

    @Test func theLastFiveBatchesAreRecognised() throws {
        let batches = try (0..<6).map { try Self.batch(from: Int32($0 * 2), count: 2) }
        let table = self.table(batches)
        for index in 1..<6 { #expect(table.verdict(on: batches[index]) == .duplicate(Int64(index * 10))) }
        #expect(table.verdict(on: batches[0]) == .refuse(.outOfOrderSequenceNumber))
        // A batch with a known beginning and another end is another batch.
        #expect(table.verdict(on: try Self.batch(from: 10)) == .refuse(.outOfOrderSequenceNumber))
    }

    @Test func afterTheGreatestSequenceComesNone() throws {
        let table = self.table([try Self.batch(from: .max - 1, count: 2)])
        #expect(table.verdict(on: try Self.batch(from: 0)) == .append)
        let around = try Self.batch(from: .max, count: 3)
        #expect(around.lastSequence == 1)
    }

    @Test func anUnknownProducerMayBeginAnywhere() throws {
        #expect(self.table([]).verdict(on: try Self.batch(from: 12)) == .append)
    }

    @Test func aNewEpochBeginsAtNoneAndAnOldOneIsOver() throws {
        let table = self.table([try Self.batch(epoch: 1, from: 0)])
        #expect(table.verdict(on: try Self.batch(epoch: 2, from: 0)) == .append)
        #expect(table.verdict(on: try Self.batch(epoch: 2, from: 1)) == .refuse(.outOfOrderSequenceNumber))
        #expect(table.verdict(on: try Self.batch(epoch: 0, from: 1)) == .refuse(.invalidProducerEpoch))
    }

    @Test func aMarkerTellsWhereItsTransactionBeganAndOfANewEpoch() throws {
        let batches = try (0..<2).map { try Self.batch(from: Int32($0), isTransactional: true) }
        var table = self.table(batches)
        #expect(table.verdict(on: try Self.batch(from: 2)) == .refuse(.invalidTransactionState))
        #expect(table.ended(by: ProducerIdentity(id: 7, epoch: 1)) == 0)
        #expect(
            table.verdict(on: try Self.batch(from: 2, isTransactional: true))
                == .refuse(.invalidProducerEpoch)
        )
        #expect(table.ended(by: ProducerIdentity(id: 7, epoch: 1)) == nil)
    }

    @Test func whoIsLongestUnusedIsForgottenAndNobodyInATransactionIs() throws {
        var table = ProducerTable(limit: 4)
        table.appended(try Self.batch(1, from: 0, isTransactional: true), at: 0)
        for producer in 2...5 as ClosedRange<Int64> {
            table.appended(try Self.batch(producer, from: 0), at: producer)
        }
        #expect(table.verdict(on: try Self.batch(1, from: 0)) == .duplicate(0))
        #expect(table.verdict(on: try Self.batch(2, from: 0)) == .append)
        #expect(table.verdict(on: try Self.batch(3, from: 0)) == .append)
        #expect(table.verdict(on: try Self.batch(5, from: 0)) == .duplicate(5))
    }
}
