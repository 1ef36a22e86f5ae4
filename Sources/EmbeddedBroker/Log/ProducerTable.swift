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

    /// Where producers have to begin that nothing else is known of: a batch of theirs was refused. Kafka takes any first
    /// sequence, but what makes it refuse one batch has it refuse those behind it as well; a fault that is rolled for each
    /// request would leave out the first for good, since librdkafka takes the success of a later one for its.
    private var beginnings: [Int64: Int32] = [:]
    private let limit: Int
    private var entries: [Int64: Entry] = [:]
    private var useCount = 0

    /// - Parameter limit: how many producers are remembered; beyond it the longest unused half is forgotten.
    init(limit: Int) { self.limit = limit }

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

    /// A batch was not taken, for a reason that has nothing to do with it.
    mutating func refused(_ batch: RecordBatch) {
        guard self.entries[batch.producerID] == nil else { return }
        if self.beginnings.count >= self.limit { self.beginnings = [:] }
        let first = min(self.beginnings[batch.producerID] ?? .max, batch.baseSequence)
        self.beginnings[batch.producerID] = first
    }

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
