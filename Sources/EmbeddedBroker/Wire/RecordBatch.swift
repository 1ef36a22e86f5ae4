internal import NIOCore

/// A producer as a batch names it: an id, and which of its incarnations.
struct ProducerIdentity: Hashable, Sendable {
    var id: Int64
    var epoch: Int16
}

/// One record batch in version 2, kept as the bytes its producer sent.
///
/// Offset and leader epoch lie outside of the checksum, so the broker sets them without touching the records,
/// which it could not read anyway when they are compressed. From Kafka's `DefaultRecordBatch`.
struct RecordBatch: Sendable {
    static let headerByteCount = 61
    private static let bytesBeforeLength = 12

    private(set) var bytes: ByteBuffer
    private(set) var baseOffset: Int64
    private(set) var attributes: Int16
    private(set) var lastOffsetDelta: Int32
    private(set) var baseTimestamp: Int64
    private(set) var maxTimestamp: Int64
    private(set) var producerID: Int64
    private(set) var producerEpoch: Int16
    private(set) var baseSequence: Int32

    var lastOffset: Int64 { self.baseOffset + Int64(self.lastOffsetDelta) }
    var codec: Int16 { self.attributes & 0x07 }
    var isTransactional: Bool { self.attributes & 0x10 != 0 }
    var isControl: Bool { self.attributes & 0x20 != 0 }
    /// Nil for a batch that is not idempotent.
    var producer: ProducerIdentity? {
        self.producerID >= 0 ? ProducerIdentity(id: self.producerID, epoch: self.producerEpoch) : nil
    }
    /// Sequence numbers go around: after the greatest comes 0.
    var lastSequence: Int32 { (self.baseSequence &+ self.lastOffsetDelta) & .max }

    /// Takes what a produce request holds for one partition: exactly one batch, whole and unharmed.
    ///
    /// - Throws: the error to answer with, as Kafka's `LogValidator` has it.
    init(validating records: ByteBuffer) throws(ErrorCode) {
        guard let batch = RecordBatch(header: records) else { throw .corruptMessage }
        guard let length = records.getInteger(at: records.readerIndex + 8, as: Int32.self),
            let magic = records.getInteger(at: records.readerIndex + 16, as: Int8.self),
            let checksum = records.getInteger(at: records.readerIndex + 17, as: UInt32.self),
            let count = records.getInteger(at: records.readerIndex + 57, as: Int32.self)
        else { throw .corruptMessage }
        guard magic == 2 else { throw .invalidRecord }
        let rest = records.readableBytes - Self.bytesBeforeLength - Int(length)
        guard length >= Int32(Self.headerByteCount - Self.bytesBeforeLength), rest >= 0 else {
            throw .corruptMessage
        }
        // A second batch in one partition's records.
        guard rest == 0 else { throw .invalidRecord }
        guard
            let checked = records.getSlice(at: records.readerIndex + 21, length: records.readableBytes - 21),
            Checksum.crc32c(checked) == checksum
        else { throw .corruptMessage }
        guard count > 0, batch.lastOffsetDelta >= 0, Int64(batch.lastOffsetDelta) + 1 == Int64(count),
            batch.codec <= 4
        else { throw .invalidRecord }
        guard !batch.isControl, batch.producerID >= 0 || !batch.isTransactional,
            batch.producerID < 0 || batch.producerEpoch >= 0 && batch.baseSequence >= 0
        else { throw .invalidRecord }
        guard batch.codec != 0 || batch.recordTimestamps()?.count == Int(count) else { throw .invalidRecord }
        self = batch
        // The frame it came in is larger and should not live as long.
        var own = ByteBufferAllocator().buffer(capacity: records.readableBytes)
        own.writeImmutableBuffer(records)
        self.bytes = own
    }

    /// A control batch of one record: the end of a transaction. From Kafka's `EndTransactionMarker`.
    init(marker outcome: TransactionOutcome, of producer: ProducerIdentity, at timestamp: Int64) {
        var record = ByteBuffer()
        record.writeMultipleIntegers(UInt8(0), UInt8(0), UInt8(0))  // attributes, timestamp and offset deltas
        record.writeVarint(4)
        record.writeMultipleIntegers(Int16(0), Int16(outcome == .commit ? 1 : 0))  // version, type
        record.writeVarint(6)
        record.writeMultipleIntegers(Int16(0), Int32(0))  // version, epoch of the coordinator
        record.writeVarint(0)

        var checked = ByteBuffer()
        checked.writeMultipleIntegers(Int16(0x30), Int32(0), timestamp, timestamp)
        checked.writeMultipleIntegers(producer.id, producer.epoch, Int32(-1), Int32(1))
        checked.writeVarint(Int64(record.readableBytes))
        checked.writeImmutableBuffer(record)

        var bytes = ByteBuffer()
        bytes.writeMultipleIntegers(Int64(0), Int32(checked.readableBytes + 9), Int32(0), Int8(2))
        bytes.writeInteger(Checksum.crc32c(checked))
        bytes.writeImmutableBuffer(checked)
        self.bytes = bytes
        (self.baseOffset, self.attributes, self.lastOffsetDelta) = (0, 0x30, 0)
        (self.baseTimestamp, self.maxTimestamp) = (timestamp, timestamp)
        (self.producerID, self.producerEpoch, self.baseSequence) = (producer.id, producer.epoch, -1)
    }

    private init?(header bytes: ByteBuffer) {
        var bytes = bytes
        self.bytes = bytes
        guard bytes.readableBytes >= Self.headerByteCount,
            let (base, _, _, _, _) = bytes.readMultipleIntegers(as: (Int64, Int32, Int32, Int8, UInt32).self),
            let (attributes, delta, baseTimestamp, maxTimestamp) = bytes.readMultipleIntegers(
                as: (Int16, Int32, Int64, Int64).self
            ),
            let (id, epoch, sequence) = bytes.readMultipleIntegers(as: (Int64, Int16, Int32).self)
        else { return nil }
        (self.baseOffset, self.attributes, self.lastOffsetDelta) = (base, attributes, delta)
        (self.baseTimestamp, self.maxTimestamp) = (baseTimestamp, maxTimestamp)
        (self.producerID, self.producerEpoch, self.baseSequence) = (id, epoch, sequence)
    }

    /// Gives the batch its place in the log.
    mutating func place(at offset: Int64) {
        self.baseOffset = offset
        self.bytes.setInteger(offset, at: self.bytes.readerIndex)
        // This broker has led every partition from the beginning.
        self.bytes.setInteger(Int32(0), at: self.bytes.readerIndex + 12)
    }

    /// The timestamp and offset of the first record that is not older. Where the records are compressed, the
    /// batch's first record stands for it: a reader then begins too early, never too late.
    func position(notBefore timestamp: Int64) -> (timestamp: Int64, offset: Int64)? {
        guard self.maxTimestamp >= timestamp else { return nil }
        guard self.codec == 0 else { return (max(timestamp, self.baseTimestamp), self.baseOffset) }
        return self.recordTimestamps()?.first { $0.timestamp >= timestamp }
    }

    /// Walks through uncompressed records; nil if they are not as long as they say.
    private func recordTimestamps() -> [(timestamp: Int64, offset: Int64)]? {
        var rest = self.bytes
        rest.moveReaderIndex(forwardBy: Self.headerByteCount)
        var found: [(timestamp: Int64, offset: Int64)] = []
        while rest.readableBytes > 0 {
            guard let length = rest.readVarint(), length > 0,
                var record = rest.readSlice(length: Int(clamping: length)),
                record.readInteger(as: Int8.self) != nil,
                let timestampDelta = record.readVarint(), let offsetDelta = record.readVarint(),
                offsetDelta == Int64(found.count)
            else { return nil }
            found.append((self.baseTimestamp &+ timestampDelta, self.baseOffset &+ offsetDelta))
        }
        return found
    }
}
