import Kafka
import Records
import WorkerKit

/// One member of the simulated group, and its producer.
final class SimulatedBroker: Broker {
    /// Where the conversation with the group stands.
    enum Membership: Hashable {
        case idle
        /// The group has given partitions, and waits for `assign`.
        case given
        case assigned
        /// The group has asked for them, and waits for `unassign`.
        case asked
    }

    let cluster: SimulatedCluster
    private var events = DueQueue<BrokerEvent>()
    private var sources: [SimulatedSource] = []
    private(set) var membership = Membership.idle
    /// Partitions for which this member may commit.
    private(set) var owned: Set<TopicPartition> = []
    private(set) var isLeaving = false
    private(set) var hasLeft = false
    /// Nothing is told any more: the connection is up and the other side is not there.
    var isMute = false
    /// The engine has been told to give up its partitions.
    private(set) var hasToldOfRevocation = false
    /// Told when partitions are given up: calls for them are nobody's from then on.
    var partitionsGivenUp: () -> Void = {}

    init(_ cluster: SimulatedCluster) {
        self.cluster = cluster
    }

    private var now: Int64 { self.cluster.clock.now.monotonic }

    /// When there is something to tell.
    var nextDue: Int64? { self.isMute ? nil : self.events.nextDue }

    private func tell(_ event: BrokerEvent, after delay: Duration = .zero) {
        self.events.add(event, due: self.now + delay.wholeNanoseconds)
    }

    func recordsArrived(in partition: Int32) {
        for source in self.sources where source.partition.partition == partition { source.hasArrivals = true }
    }

    /// Something else that a client can say.
    func inject(_ event: BrokerEvent) { self.tell(event) }

    // MARK: what the group does

    var canBeDealtTo: Bool { self.membership == .idle && !self.isLeaving }

    func askForPartitions(isLost: Bool) {
        if isLost { self.owned = [] }
        guard self.membership == .given || self.membership == .assigned || isLost else { return }
        self.membership = .asked
        self.tell(.revoked(self.sources.map(\.partition), isLost: isLost))
    }

    func deal(_ partitions: [TopicPartition]) {
        self.membership = .given
        self.owned = Set(partitions)
        self.tell(.assigned(partitions))
    }

    // MARK: what the engine does

    func serve(_ tell: (BrokerEvent) -> Void) {
        guard !self.isMute else { return }
        while let event = self.events.popDue(at: self.now) {
            if case .revoked = event { self.hasToldOfRevocation = true }
            if case .assigned = event { self.hasToldOfRevocation = false }
            tell(event)
        }
    }

    func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition] {
        if let error = self.cluster.committedFate() { throw error }
        return partitions.map { self.cluster.stored[$0] ?? CommittedPosition(partition: $0, offset: nil) }
    }

    func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [SimulatedSource] {
        self.sources = positions.map { SimulatedSource($0, self.cluster) }
        if self.membership == .given { self.membership = .assigned }
        return self.sources
    }

    func unassign() throws(KafkaError) {
        self.sources = []
        self.owned = []
        self.membership = .idle
        self.partitionsGivenUp()
        if self.isLeaving {
            self.hasLeft = true
            self.cluster.remove(self)
        } else {
            self.cluster.dealIfAllAnswered()
        }
    }

    func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        guard !self.owned.isEmpty else {
            self.cluster.violations.append("a commit for partitions that are not owned")
            return self.tell(.committed(id: id, .illegalGeneration))
        }
        switch self.cluster.commitFate(positions) {
        case .acknowledged(let delay):
            self.cluster.store(positions, by: self)
            self.tell(.committed(id: id, nil), after: delay)
        case .failed(let error, let delay, let isStored):
            if isStored { self.cluster.store(positions, by: self) }
            self.tell(.committed(id: id, error), after: delay)
        case .refused(let error): throw error
        }
    }

    func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        self.cluster.judgeSend(record)
        switch self.cluster.produceFate(record) {
        case .acknowledged(let delay):
            self.cluster.write(record)
            self.tell(.reported(id: id, nil), after: delay)
        case .failed(let error, let delay, let isWritten):
            if isWritten { self.cluster.write(record) }
            self.tell(.reported(id: id, error), after: delay)
        case .refused(let error): throw error
        }
    }

    func leave() throws(KafkaError) {
        self.isLeaving = true
        switch self.membership {
        case .idle:
            self.hasLeft = true
            self.cluster.remove(self)
        // A rebalance that was told has to be answered first.
        case .given, .asked: break
        case .assigned: self.askForPartitions(isLost: false)
        }
    }
}

/// One assigned partition of the simulated topic.
final class SimulatedSource: RecordSource {
    let partition: TopicPartition
    var hasArrivals = true
    private let cluster: SimulatedCluster
    private var position: Int64
    private var incarnation: Int

    init(_ position: CommittedPosition, _ cluster: SimulatedCluster) {
        self.partition = position.partition
        self.cluster = cluster
        self.position = position.offset ?? 0
        self.incarnation = cluster.logs[Int(position.partition.partition)].incarnation
    }

    func read(atMost limit: Int, _ take: (consuming InboundRecord) -> Void, _ failed: (KafkaError) -> Void)
        -> Int
    {
        let log = self.cluster.logs[Int(self.partition.partition)]
        // `auto.offset.reset` is `earliest`.
        if log.incarnation != self.incarnation || self.position > log.end { self.position = 0 }
        self.incarnation = log.incarnation
        var taken = 0
        for record in log.records[log.index(of: self.position)...] {
            guard taken < limit else { return taken }
            self.position = record.offset + 1
            taken += 1
            take(record)
        }
        self.hasArrivals = false
        return taken
    }
}

extension KafkaError {
    static let illegalGeneration = KafkaError(code: .illegalGeneration, message: "not the current generation")
    static let timedOut = KafkaError(code: .timedOut, message: "timed out", isRetriable: true)
    static let queueFull = KafkaError(code: .queueFull, message: "queue full", isRetriable: true)
    static let messageTooLarge = KafkaError(code: .messageTooLarge, message: "message too large")
}
