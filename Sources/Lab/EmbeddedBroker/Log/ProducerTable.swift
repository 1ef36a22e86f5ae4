/// The producers that a partition knows, by which it refuses batches that are out of order and recognises
/// repeated ones.
///
/// The rules are from Kafka's `ProducerStateManager` and `ProducerAppendInfo`, 3.x.
struct ProducerTable {
    /// The number of recent batches per producer that are kept to recognise repeats: as many as a producer
    /// may have in flight.
    private static let rememberedBatches = 5

    private struct Batch {
        var firstSequence: Int32
        var lastSequence: Int32
        var baseOffset: Int64
    }

    private struct Entry {
        var epoch: Int16
        var recent: [Batch] = []
        /// The offset at which the producer's open transaction begins in this partition; nil without an open
        /// transaction.
        var transactionStart: Int64?
        var lastUse: Int
    }

    /// The decision about a batch.
    enum Verdict: Equatable {
        case append
        /// The batch is in the log already, at this base offset.
        case duplicate(Int64)
        case refuse(ErrorCode)
    }

    /// For a producer without an entry whose batches were refused: the smallest sequence number of those
    /// batches. The producer may begin with it or a smaller one.
    ///
    /// Kafka accepts any first sequence number from an unknown producer. But in Kafka the cause that refuses
    /// one batch also refuses the batches behind it, whereas a fault here is drawn for each request. Without
    /// this rule a later batch could be appended while the first was refused. librdkafka takes the success of
    /// a later batch as the success of the earlier ones, and the first batch would be lost.
    private var beginnings: [Int64: Int32] = [:]
    private let limit: Int
    private var entries: [Int64: Entry] = [:]
    private var useCount = 0

    /// - Parameter limit: the number of producers to remember. Beyond it, half of that number is forgotten:
    ///   the producers unused for the longest time, without an open transaction.
    init(limit: Int) { self.limit = limit }

    /// Decides whether a batch is appended, repeated or refused. Changes nothing.
    func verdict(on batch: RecordBatch) -> Verdict {
        guard let entry = self.entries[batch.producerID] else {
            let mayBegin = self.beginnings[batch.producerID].map { batch.baseSequence <= $0 } ?? true
            return mayBegin ? .append : .refuse(.outOfOrderSequenceNumber)
        }
        if batch.producerEpoch == entry.epoch,
            let repeated = entry.recent.first(where: {
                $0.firstSequence == batch.baseSequence && $0.lastSequence == batch.lastSequence
            })
        {
            return .duplicate(repeated.baseOffset)
        }
        if batch.producerEpoch < entry.epoch { return .refuse(.invalidProducerEpoch) }
        if batch.producerEpoch > entry.epoch {
            return batch.baseSequence == 0 ? .append : .refuse(.outOfOrderSequenceNumber)
        }
        guard let last = entry.recent.last?.lastSequence else {
            return batch.baseSequence == 0 ? .append : .refuse(.outOfOrderSequenceNumber)
        }
        guard batch.baseSequence == (last == .max ? 0 : last + 1) else {
            return .refuse(.outOfOrderSequenceNumber)
        }
        return !batch.isTransactional && entry.transactionStart != nil
            ? .refuse(.invalidTransactionState) : .append
    }

    /// Records that a batch was refused for a reason outside of the batch.
    mutating func refused(_ batch: RecordBatch) {
        guard self.entries[batch.producerID] == nil else { return }
        if self.beginnings.count >= self.limit { self.beginnings = [:] }
        let first = min(self.beginnings[batch.producerID] ?? .max, batch.baseSequence)
        self.beginnings[batch.producerID] = first
    }

    /// Records that a batch was appended at this base offset.
    mutating func appended(_ batch: RecordBatch, at offset: Int64) {
        self.beginnings[batch.producerID] = nil
        self.change(batch.producerID, epoch: batch.producerEpoch) { entry in
            entry.recent.append(
                Batch(
                    firstSequence: batch.baseSequence,
                    lastSequence: batch.lastSequence,
                    baseOffset: offset
                )
            )
            if entry.recent.count > Self.rememberedBatches { entry.recent.removeFirst() }
            if batch.isTransactional, entry.transactionStart == nil { entry.transactionStart = offset }
        }
    }

    /// Ends the producer's transaction because of a marker, and takes over the marker's epoch, which is
    /// higher if the coordinator has fenced the producer.
    ///
    /// - Returns: the offset at which the transaction began in this partition; nil if it has no records here.
    mutating func ended(by producer: ProducerIdentity) -> Int64? {
        var start: Int64?
        self.change(producer.id, epoch: producer.epoch) { entry in
            start = entry.transactionStart
            entry.transactionStart = nil
        }
        return start
    }

    private mutating func change(_ id: Int64, epoch: Int16, _ change: (inout Entry) -> Void) {
        self.useCount += 1
        var entry = self.entries[id] ?? Entry(epoch: epoch, lastUse: self.useCount)
        if epoch > entry.epoch {
            entry.epoch = epoch
            entry.recent = []
        }
        entry.lastUse = self.useCount
        change(&entry)
        self.entries[id] = entry
        if self.entries.count > self.limit { self.forgetHalf() }
    }

    private mutating func forgetHalf() {
        let idle = self.entries.filter { $0.value.transactionStart == nil }
        for (id, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(self.limit / 2) {
            self.entries[id] = nil
        }
    }
}
