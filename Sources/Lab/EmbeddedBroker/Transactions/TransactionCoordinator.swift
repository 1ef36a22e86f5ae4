/// The coordinator of all transactional ids: it assigns producer ids, ends transactions at their timeout, and
/// has transaction markers written.
final class TransactionCoordinator {
    private let timers: Timers
    private let settings: BrokerSettings
    private let markerDelay: () -> Duration
    private let writeMarkers: (Transaction, TransactionOutcome) -> Void
    private var transactions: [String: Transaction] = [:]
    /// The timer of each transactional id: the timeout of its open transaction, or the delay before its
    /// markers.
    private var expiries: [String: Timer] = [:]
    private var lastProducerID: Int64 = 0

    init(
        timers: Timers,
        settings: BrokerSettings,
        markerDelay: @escaping () -> Duration,
        writeMarkers: @escaping (Transaction, TransactionOutcome) -> Void
    ) {
        self.timers = timers
        self.settings = settings
        self.markerDelay = markerDelay
        self.writeMarkers = writeMarkers
    }

    /// Returns a producer id that was not assigned before.
    func newProducerID() -> Int64 {
        self.lastProducerID += 1
        return self.lastProducerID
    }

    /// The transactional ids that are known.
    var ids: [String] { self.transactions.keys.sorted() }

    /// Handles InitProducerId for a transactional id. An open transaction of the previous producer is
    /// aborted.
    ///
    /// - Returns: the producer's identity, or the error; `concurrentTransactions` asks the client to repeat
    ///   the request.
    func initialize(
        _ id: String,
        _ known: ProducerIdentity?,
        timeout: Duration
    ) -> Result<ProducerIdentity, ErrorCode> {
        guard !id.isEmpty else { return .failure(.invalidRequest) }
        guard timeout > .zero, timeout <= self.settings.longestTransactionTimeout else {
            return .failure(.invalidTransactionTimeout)
        }
        guard self.transactions[id] != nil || self.transactions.count < BrokerSettings.transactionalIDLimit
        else {
            return .failure(.policyViolation)
        }
        var transaction =
            self.transactions[id] ?? Transaction(id, producerID: self.newProducerID(), timeout: timeout)
        let admission = transaction.initialize(known, timeout: timeout, newProducerID: self.newProducerID)
        self.transactions[id] = transaction
        switch admission {
        case .ready(let producer): return .success(producer)
        case .refused(let error): return .failure(error)
        case .abortFirst:
            self.fence(id)
            return .failure(.concurrentTransactions)
        }
    }

    /// Adds partitions and groups to a transaction. The first addition begins the transaction and starts its
    /// timeout.
    func add(
        partitions: some Sequence<TopicPartition>,
        groups: [String] = [],
        to id: String,
        by producer: ProducerIdentity
    ) -> ErrorCode? {
        guard !id.isEmpty else { return .invalidRequest }
        guard var transaction = self.transactions[id] else { return .invalidProducerIDMapping }
        let wasOngoing = transaction.state == .ongoing
        if let error = transaction.add(partitions: partitions, groups: groups, by: producer) { return error }
        self.transactions[id] = transaction
        if !wasOngoing {
            self.expiries[id]?.cancel()
            self.expiries[id] = self.timers.after(transaction.timeout) { [weak self] in self?.expired(id) }
        }
        return nil
    }

    func refusal(ofWriting partition: TopicPartition, in id: String?, by producer: ProducerIdentity)
        -> ErrorCode?
    {
        guard let transaction = id.flatMap({ self.transactions[$0] }) else {
            return .invalidProducerIDMapping
        }
        return transaction.refusal(ofWriting: partition, by: producer)
    }

    func refusal(ofCommitting group: String, in id: String, by producer: ProducerIdentity) -> ErrorCode? {
        guard let transaction = self.transactions[id] else { return .invalidProducerIDMapping }
        return transaction.refusal(ofCommitting: group, by: producer)
    }

    /// Commits or aborts a transaction.
    ///
    /// - Returns: the error, or nil.
    func end(_ id: String, _ outcome: TransactionOutcome, by producer: ProducerIdentity) -> ErrorCode? {
        guard !id.isEmpty else { return .invalidRequest }
        guard var transaction = self.transactions[id] else { return .invalidProducerIDMapping }
        let wasOngoing = transaction.state == .ongoing
        if let error = transaction.end(outcome, by: producer) { return error }
        self.transactions[id] = transaction
        if wasOngoing { self.sendMarkers(of: id, outcome) }
        return nil
    }

    private func expired(_ id: String) {
        if self.transactions[id]?.state == .ongoing { self.fence(id) }
    }

    private func fence(_ id: String) {
        self.transactions[id]?.fence()
        self.sendMarkers(of: id, .abort)
    }

    /// Writes the markers, after `BrokerFaults.markerDelay`.
    private func sendMarkers(of id: String, _ outcome: TransactionOutcome) {
        self.expiries.removeValue(forKey: id)?.cancel()
        let delay = self.markerDelay()
        guard delay > .zero else {
            self.finish(id, outcome)
            return
        }
        self.expiries[id] = self.timers.after(delay) { [weak self] in self?.finish(id, outcome) }
    }

    private func finish(_ id: String, _ outcome: TransactionOutcome) {
        guard var transaction = self.transactions[id] else { return }
        self.writeMarkers(transaction, outcome)
        transaction.markersWritten()
        self.transactions[id] = transaction
    }
}
