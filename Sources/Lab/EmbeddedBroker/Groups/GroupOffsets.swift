/// An offset that a group has committed for one partition.
struct CommittedOffset: Equatable {
    var offset: Int64
    var leaderEpoch: Int32 = -1
    var metadata: String
}

/// The offsets that a group has committed, and the offsets that open transactions have added for it.
struct GroupOffsets {
    private(set) var committed: [TopicPartition: CommittedOffset] = [:]
    /// Offsets that wait for the end of a transaction, by producer id.
    private var pending: [Int64: [TopicPartition: CommittedOffset]] = [:]

    var isEmpty: Bool { self.committed.isEmpty && self.pending.isEmpty }

    /// Whether an open transaction has added an offset for this partition.
    func isUndecided(_ partition: TopicPartition) -> Bool {
        self.pending.values.contains { $0[partition] != nil }
    }

    /// All partitions with a committed or a pending offset, sorted by topic and partition.
    var partitions: [TopicPartition] {
        Set(self.committed.keys).union(self.pending.values.flatMap(\.keys))
            .sorted { ($0.topic, $0.partition) < ($1.topic, $1.partition) }
    }

    mutating func commit(_ offset: CommittedOffset, for partition: TopicPartition) {
        self.committed[partition] = offset
    }

    /// Adds an offset to the producer's open transaction.
    mutating func add(_ offset: CommittedOffset, for partition: TopicPartition, by producerID: Int64) {
        self.pending[producerID, default: [:]][partition] = offset
    }

    /// Commits or discards the pending offsets of the producer's transaction.
    mutating func ended(by producerID: Int64, _ outcome: TransactionOutcome) {
        guard let offsets = self.pending.removeValue(forKey: producerID), outcome == .commit else { return }
        self.committed.merge(offsets) { $1 }
    }

    mutating func forget(topic: String) {
        self.committed = self.committed.filter { $0.key.topic != topic }
        self.pending = self.pending.mapValues { $0.filter { $0.key.topic != topic } }
    }
}
