/// One partition: its log, the state of its producers and transactions, and the fetches that wait for more
/// records.
final class Partition {
    private(set) var log = PartitionLog()
    private var producers = ProducerTable(limit: 10_000)
    private var transactions = TransactionIndex()
    /// Fetches that wait for more records of this partition.
    private var waiting: [ObjectIdentifier: WaitingFetch] = [:]
    private let retainedByteLimit: Int

    init(retainedByteLimit: Int) { self.retainedByteLimit = retainedByteLimit }

    /// The offset up to which a `read_committed` reader may read. All transactions before it have ended.
    var lastStableOffset: Int64 {
        max(self.log.startOffset, self.transactions.firstUndecided ?? self.log.endOffset)
    }

    /// The offset up to which a reader of this isolation level may read.
    func end(for isolation: Isolation) -> Int64 {
        isolation == .readCommitted ? self.lastStableOffset : self.log.endOffset
    }

    /// Appends a batch, unless the partition holds it already.
    ///
    /// - Returns: the batch's base offset; for a repeated batch, the base offset of its first append.
    /// - Throws: the error code to respond with.
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

    /// Records that a batch was refused for a reason outside of the batch, such as an injected fault.
    func refused(_ batch: RecordBatch) {
        if batch.producer != nil { self.producers.refused(batch) }
    }

    /// Writes a transaction marker, which ends the producer's transaction in this partition. The producer
    /// need not have written any record here.
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

    /// Makes the waiting fetches check again whether there is enough to read.
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
