/// How a transaction ends.
enum TransactionOutcome: Sendable {
    case commit
    case abort
}

/// Where the holder of one transactional id stands. From Kafka's `TransactionMetadata` and
/// `TransactionCoordinator`, 3.x, without the log that they keep.
struct Transaction {
    enum State: Equatable {
        case empty
        case ongoing
        /// Decided; the markers are on their way.
        case ending(TransactionOutcome)
        case ended(TransactionOutcome)
    }

    /// What an InitProducerId leads to.
    enum Admission: Equatable {
        case ready(ProducerIdentity)
        /// The producer before has a transaction open: it is aborted first, and the new one asks again.
        case abortFirst
        case refused(ErrorCode)
    }

    let id: String
    private(set) var state = State.empty
    private(set) var producer: ProducerIdentity
    private(set) var partitions: Set<TopicPartition> = []
    private(set) var groups: Set<String> = []
    private(set) var timeout: Duration
    /// The epoch before the current one, if the same producer had that, too.
    private var previousEpoch: Int16 = -1

    init(_ id: String, producerID: Int64, timeout: Duration) {
        self.id = id
        self.producer = ProducerIdentity(id: producerID, epoch: -1)
        self.timeout = timeout
    }

    /// A producer begins, or begins again after an error.
    ///
    /// - Parameters:
    ///   - known: what the producer has been so far; nil for one that has just started.
    ///   - newProducerID: taken when the epochs of the old one are used up.
    mutating func initialize(
        _ known: ProducerIdentity?,
        timeout: Duration,
        newProducerID: () -> Int64
    ) -> Admission {
        if let known, self.producer.epoch >= 0, known.id != self.producer.id {
            return .refused(.producerFenced)
        }
        switch self.state {
        case .ending: return .refused(.concurrentTransactions)
        case .ongoing: return .abortFirst
        case .empty, .ended: break
        }
        if let known, self.producer.epoch >= 0, known.epoch != self.producer.epoch {
            // Either it asks again because it missed the answer, or somebody else has been here since.
            return known.epoch == self.previousEpoch ? .ready(self.producer) : .refused(.producerFenced)
        }
        self.timeout = timeout
        self.state = .empty
        self.previousEpoch = known == nil ? -1 : self.producer.epoch
        if self.producer.epoch >= .max - 1 {
            self.producer = ProducerIdentity(id: newProducerID(), epoch: 0)
            self.previousEpoch = -1
        } else {
            self.producer.epoch += 1
        }
        return .ready(self.producer)
    }

    /// - Returns: why the transaction cannot take these, if it cannot.
    mutating func add(
        partitions: some Sequence<TopicPartition>,
        groups: [String] = [],
        by producer: ProducerIdentity
    ) -> ErrorCode? {
        if let error = self.stranger(producer) { return error }
        if case .ending = self.state { return .concurrentTransactions }
        if self.state != .ongoing { (self.state, self.partitions, self.groups) = (.ongoing, [], []) }
        self.partitions.formUnion(partitions)
        self.groups.formUnion(groups)
        return nil
    }

    /// Whether the producer may write to this partition now (checked since Kafka 3.6).
    func refusal(ofWriting partition: TopicPartition, by producer: ProducerIdentity) -> ErrorCode? {
        self.refusal(of: producer, unless: self.partitions.contains(partition))
    }

    /// Whether the producer may commit offsets of this group now.
    func refusal(ofCommitting group: String, by producer: ProducerIdentity) -> ErrorCode? {
        self.refusal(of: producer, unless: self.groups.contains(group))
    }

    private func refusal(of producer: ProducerIdentity, unless isAdded: Bool) -> ErrorCode? {
        if let error = self.stranger(producer) {
            return error == .producerFenced ? .invalidProducerEpoch : error
        }
        if case .ending = self.state { return .concurrentTransactions }
        return self.state == .ongoing && isAdded ? nil : .invalidTransactionState
    }

    /// - Returns: an error; or nil, and the markers are to be written if the state is `ending` now.
    mutating func end(_ outcome: TransactionOutcome, by producer: ProducerIdentity) -> ErrorCode? {
        if let error = self.stranger(producer) { return error }
        switch self.state {
        case .ongoing:
            self.state = .ending(outcome)
            return nil
        case .ending(outcome): return .concurrentTransactions
        // Asked again, because the answer was lost.
        case .ended(outcome): return nil
        case .empty, .ending, .ended: return .invalidTransactionState
        }
    }

    /// Aborts what is open, and sees to it that the producer that opened it can do nothing more.
    mutating func fence() {
        guard self.state == .ongoing else { preconditionFailure("nothing to fence: \(self.state)") }
        if self.producer.epoch < .max { self.producer.epoch += 1 }
        self.previousEpoch = -1
        self.state = .ending(.abort)
    }

    mutating func markersWritten() {
        guard case .ending(let outcome) = self.state else { preconditionFailure("not ending: \(self.state)") }
        self.state = .ended(outcome)
        (self.partitions, self.groups) = ([], [])
    }

    private func stranger(_ producer: ProducerIdentity) -> ErrorCode? {
        guard producer.id == self.producer.id else { return .invalidProducerIDMapping }
        return producer.epoch == self.producer.epoch ? nil : .producerFenced
    }
}
