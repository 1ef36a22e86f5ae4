internal import NIOCore

/// A producer's identity in a batch: its id, and the epoch that distinguishes successive instances with that
/// id.
struct ProducerIdentity: Hashable, Sendable {
    var id: Int64
    var epoch: Int16
}

/// One record batch in version 2, kept as the bytes that its producer sent.
///
/// The broker sets base offset and leader epoch, which lie outside of the checksum, and on some topics the
/// time. It does not touch the records, which it could not read anyway if they are compressed. From Kafka's
/// `DefaultRecordBatch`.
struct RecordBatch: Sendable {
    static let headerByteCount = 61
    private static let bytesBeforeLength = 12
    private static let appendTimeFlag: Int16 = 0x08

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
    /// The compression codec: 0 for none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.
    var codec: Int16 { self.attributes & 0x07 }
    /// Whether `maxTimestamp` is the time of all records, set by the broker.
    var hasAppendTime: Bool { self.attributes & Self.appendTimeFlag != 0 }
    var isTransactional: Bool { self.attributes & 0x10 != 0 }
    var isControl: Bool { self.attributes & 0x20 != 0 }
    /// The producer's identity; nil for a batch that is not idempotent.
    var producer: ProducerIdentity? {
        self.producerID >= 0 ? ProducerIdentity(id: self.producerID, epoch: self.producerEpoch) : nil
    }
    /// The sequence number of the last record. Sequence numbers wrap: 0 follows the greatest one.
    var lastSequence: Int32 { (self.baseSequence &+ self.lastOffsetDelta) & .max }

    /// Checks the records that a produce request holds for one partition: exactly one batch, complete and
    /// with a valid checksum.
    ///
    /// - Throws: the error code to respond with, as in Kafka's `LogValidator`.
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
        // The bytes hold a second batch.
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
        // The batch is copied: a slice would keep the whole request in memory, which is larger, for as long
        // as the batch is retained.
        var own = ByteBufferAllocator().buffer(capacity: records.readableBytes)
        own.writeImmutableBuffer(records)
        self.bytes = own
    }

    /// Makes a transaction marker: a control batch of one record. From Kafka's `EndTransactionMarker`.
    init(marker outcome: TransactionOutcome, of producer: ProducerIdentity, at timestamp: Int64) {
        var record = ByteBuffer()
        record.writeMultipleIntegers(UInt8(0), UInt8(0), UInt8(0))  // attributes, timestamp and offset deltas
        record.writeVarint(4)
        record.writeMultipleIntegers(Int16(0), Int16(outcome == .commit ? 1 : 0))  // version, type
        record.writeVarint(6)
        record.writeMultipleIntegers(Int16(0), Int32(0))  // version, coordinator epoch
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

    /// Sets the base offset at which the batch is appended.
    mutating func place(at offset: Int64) {
        self.baseOffset = offset
        self.bytes.setInteger(offset, at: self.bytes.readerIndex)
        // The leader epoch is 0, because this broker has led every partition since its start.
        self.bytes.setInteger(Int32(0), at: self.bytes.readerIndex + 12)
    }

    /// Sets the time of all records to that of the broker. From Kafka's `DefaultRecordBatch.setMaxTimestamp`.
    mutating func stamp(at timestamp: Int64) {
        self.attributes |= Self.appendTimeFlag
        self.maxTimestamp = timestamp
        let start = self.bytes.readerIndex
        self.bytes.setInteger(self.attributes, at: start + 21)
        self.bytes.setInteger(timestamp, at: start + 35)
        guard let checked = self.bytes.getSlice(at: start + 21, length: self.bytes.readableBytes - 21) else {
            return
        }
        self.bytes.setInteger(Checksum.crc32c(checked), at: start + 17)
    }

    /// The timestamp and offset of the first record that is not older than `timestamp`; nil if there is none.
    ///
    /// For compressed records, the batch's first record is returned instead. A reader then begins too early,
    /// never too late.
    func position(notBefore timestamp: Int64) -> (timestamp: Int64, offset: Int64)? {
        guard self.maxTimestamp >= timestamp else { return nil }
        guard !self.hasAppendTime else { return (self.maxTimestamp, self.baseOffset) }
        guard self.codec == 0 else { return (max(timestamp, self.baseTimestamp), self.baseOffset) }
        return self.recordTimestamps()?.first { $0.timestamp >= timestamp }
    }

    /// Reads the timestamps and offsets of uncompressed records; nil if the records do not have the lengths
    /// that they state.
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
