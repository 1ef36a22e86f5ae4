/// One partition: its log, and what it knows of the producers that write to it.
final class Partition {
    private(set) var log = PartitionLog()
    private var producers = ProducerTable(limit: 10_000)
    private var transactions = TransactionIndex()
    /// Fetches that wait for more of this partition.
    private var waiting: [ObjectIdentifier: WaitingFetch] = [:]
    private let retainedByteLimit: Int

    init(retainedByteLimit: Int) { self.retainedByteLimit = retainedByteLimit }

    /// What a `read_committed` reader gets up to: every transaction before it has ended.
    var lastStableOffset: Int64 {
        max(self.log.startOffset, self.transactions.firstUndecided ?? self.log.endOffset)
    }

    func end(for isolation: Isolation) -> Int64 {
        isolation == .readCommitted ? self.lastStableOffset : self.log.endOffset
    }

    /// - Returns: the batch's base offset, which for a repeat is that of its first time.
    func append(_ batch: RecordBatch) throws(ErrorCode) -> Int64 {
        guard batch.producer != nil else { return self.write(batch) }
        switch self.producers.verdict(on: batch) {
        case .refuse(let error): throw error
        case .duplicate(let offset): return offset
        case .append:
            let offset = self.log.endOffset
            self.producers.appended(batch, at: offset)
            if batch.isTransactional { self.transactions.began(by: batch.producerID, at: offset) }
            return self.write(batch)
        }
    }

    /// Takes note that a batch was refused for a reason that has nothing to do with it.
    func refused(_ batch: RecordBatch) {
        if batch.producer != nil { self.producers.refused(batch) }
    }

    /// Ends a producer's transaction here, whether or not it has written anything.
    func append(marker outcome: TransactionOutcome, of producer: ProducerIdentity, at timestamp: Int64) {
        let offset = self.log.endOffset
        _ = self.producers.ended(by: producer)
        self.transactions.ended(by: producer.id, outcome, at: offset)
        _ = self.write(RecordBatch(marker: outcome, of: producer, at: timestamp))
    }

    func aborted(in offsets: Range<Int64>) -> [TransactionIndex.Aborted] {
        self.transactions.aborted(in: offsets)
    }

    func truncate(before offset: Int64) {
        self.log.truncate(before: offset)
        self.transactions.truncate(before: self.log.startOffset)
    }

    func add(_ fetch: WaitingFetch) { self.waiting[ObjectIdentifier(fetch)] = fetch }

    func remove(_ fetch: WaitingFetch) { self.waiting[ObjectIdentifier(fetch)] = nil }

    /// Lets the waiting fetches look again.
    func wake() {
        for fetch in Array(self.waiting.values) { fetch.lookAgain() }
    }

    private func write(_ batch: RecordBatch) -> Int64 {
        let offset = self.log.append(batch)
        self.log.retain(atMost: self.retainedByteLimit)
        self.transactions.truncate(before: self.log.startOffset)
        return offset
    }
}
