/// What a partition remembers of each producer, to refuse what is out of order and to recognise repeats.
///
/// From Kafka's `ProducerStateManager` and `ProducerAppendInfo`, 3.x.
struct ProducerTable {
    /// As many as a producer may have in flight.
    private static let rememberedBatches = 5

    private struct Batch {
        var firstSequence: Int32
        var lastSequence: Int32
        var baseOffset: Int64
    }

    private struct Entry {
        var epoch: Int16
        var recent: [Batch] = []
        /// Where its open transaction begins here.
        var transactionStart: Int64?
        var lastUse: Int
    }

    /// What becomes of a batch.
    enum Verdict: Equatable {
        case append
        /// It is in the log already, at this offset.
        case duplicate(Int64)
        case refuse(ErrorCode)
    }

    private let limit: Int
    private var entries: [Int64: Entry] = [:]
    private var useCount = 0

    /// - Parameter limit: how many producers are remembered; beyond it the longest unused half is forgotten.
    init(limit: Int) { self.limit = limit }

    func verdict(on batch: RecordBatch) -> Verdict {
        guard let entry = self.entries[batch.producerID] else { return .append }
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

    mutating func appended(_ batch: RecordBatch, at offset: Int64) {
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

    /// A marker ends the producer's transaction, and tells of its new epoch if the coordinator has fenced it.
    ///
    /// - Returns: where the transaction began, if it has written here.
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
