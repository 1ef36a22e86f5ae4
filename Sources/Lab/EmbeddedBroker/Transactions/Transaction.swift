/// The outcome of a transaction.
enum TransactionOutcome: Sendable {
    case commit
    case abort
}

/// The state of one transactional id.
///
/// The rules are from Kafka's `TransactionMetadata` and `TransactionCoordinator`, 3.x. Kafka keeps this state
/// in a log; here it is only in memory.
struct Transaction {
    enum State: Equatable {
        case empty
        case ongoing
        /// The outcome is decided, and the markers are not written yet.
        case ending(TransactionOutcome)
        case ended(TransactionOutcome)
    }

    /// The result of an InitProducerId request.
    enum Admission: Equatable {
        case ready(ProducerIdentity)
        /// The previous producer has an open transaction. It is aborted first, and the new producer must
        /// repeat its request.
        case abortFirst
        case refused(ErrorCode)
    }

    let id: String
    private(set) var state = State.empty
    private(set) var producer: ProducerIdentity
    private(set) var partitions: Set<TopicPartition> = []
    private(set) var groups: Set<String> = []
    private(set) var timeout: Duration
    /// The epoch before the current one, if the same producer instance held both; otherwise -1.
    private var previousEpoch: Int16 = -1

    init(_ id: String, producerID: Int64, timeout: Duration) {
        self.id = id
        self.producer = ProducerIdentity(id: producerID, epoch: -1)
        self.timeout = timeout
    }

    /// Handles InitProducerId: a producer starts, or restarts after an error.
    ///
    /// - Parameters:
    ///   - known: the producer id and epoch that the client holds; nil for a client that has just started.
    ///   - newProducerID: makes a producer id for the case that the epochs of the old one are used up.
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
            // Either the producer repeats its request because the response was lost, or another producer has
            // taken over the id since.
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

    /// Adds partitions and groups to the transaction, which begins if none is open.
    ///
    /// - Returns: the error if they cannot be added, or nil.
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

    /// The error with which a write of the producer to this partition is refused now, or nil. Kafka checks
    /// this since version 3.6.
    func refusal(ofWriting partition: TopicPartition, by producer: ProducerIdentity) -> ErrorCode? {
        self.refusal(of: producer, unless: self.partitions.contains(partition))
    }

    /// The error with which a commit of this group's offsets by the producer is refused now, or nil.
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

    /// Decides the outcome of the transaction.
    ///
    /// - Returns: the error, or nil. If the state is `ending` after the call, the caller must write the
    ///   markers.
    mutating func end(_ outcome: TransactionOutcome, by producer: ProducerIdentity) -> ErrorCode? {
        if let error = self.stranger(producer) { return error }
        switch self.state {
        case .ongoing:
            self.state = .ending(outcome)
            return nil
        case .ending(outcome): return .concurrentTransactions
        // The producer repeats its request because the response was lost.
        case .ended(outcome): return nil
        case .empty, .ending, .ended: return .invalidTransactionState
        }
    }

    /// Aborts the open transaction, and raises the epoch so that the producer that opened it is fenced.
    mutating func fence() {
        guard self.state == .ongoing else { preconditionFailure("nothing to fence: \(self.state)") }
        if self.producer.epoch < .max { self.producer.epoch += 1 }
        self.previousEpoch = -1
        self.state = .ending(.abort)
    }

    /// Completes a transaction whose markers have been written.
    mutating func markersWritten() {
        guard case .ending(let outcome) = self.state else { preconditionFailure("not ending: \(self.state)") }
        self.state = .ended(outcome)
        (self.partitions, self.groups) = ([], [])
    }

    /// The error for a producer that does not hold this transactional id now, or nil.
    private func stranger(_ producer: ProducerIdentity) -> ErrorCode? {
        guard producer.id == self.producer.id else { return .invalidProducerIDMapping }
        return producer.epoch == self.producer.epoch ? nil : .producerFenced
    }
}
