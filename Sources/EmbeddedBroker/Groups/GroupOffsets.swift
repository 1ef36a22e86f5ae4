/// How far a group has come in one partition.
struct CommittedOffset: Equatable {
    var offset: Int64
    var leaderEpoch: Int32 = -1
    var metadata: String
}

/// What a group has committed, and what open transactions will commit for it.
struct GroupOffsets {
    private(set) var committed: [TopicPartition: CommittedOffset] = [:]
    /// By producer id.
    private var pending: [Int64: [TopicPartition: CommittedOffset]] = [:]

    var isEmpty: Bool { self.committed.isEmpty && self.pending.isEmpty }

    func isUndecided(_ partition: TopicPartition) -> Bool {
        self.pending.values.contains { $0[partition] != nil }
    }

    /// All partitions of which there is anything to say, in order.
    var partitions: [TopicPartition] {
        Set(self.committed.keys).union(self.pending.values.flatMap(\.keys))
            .sorted { ($0.topic, $0.partition) < ($1.topic, $1.partition) }
    }

    mutating func commit(_ offset: CommittedOffset, for partition: TopicPartition) {
        self.committed[partition] = offset
    }

    mutating func add(_ offset: CommittedOffset, for partition: TopicPartition, by producerID: Int64) {
        self.pending[producerID, default: [:]][partition] = offset
    }

    mutating func ended(by producerID: Int64, _ outcome: TransactionOutcome) {
        guard let offsets = self.pending.removeValue(forKey: producerID), outcome == .commit else { return }
        self.committed.merge(offsets) { $1 }
    }

    mutating func forget(topic: String) {
        self.committed = self.committed.filter { $0.key.topic != topic }
        self.pending = self.pending.mapValues { $0.filter { $0.key.topic != topic } }
    }
}
