internal import NIOCore

/// The broker's whole state. It lives on one event loop, so nothing here happens at the same time as anything
/// else and nothing needs a lock. What the requests do is in `Requests`, a file for each family.
final class Node {
    /// The only broker of its cluster.
    static let id: Int32 = 1

    let settings: BrokerSettings
    let timers: Timers
    let clock = WallClock()
    /// Another one at each start, as the offsets begin anew.
    let clusterID = "embedded-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    var topics: [String: Topic] = [:]
    var groups: [String: Group] = [:]
    var faults = BrokerFaults()
    var dice: Dice
    var faultCounts = FaultCounts()
    private(set) var host = ""
    private(set) var port: Int32 = 0
    /// While set, the coordinators are on a broker that nobody can find.
    private(set) var absence: Timer?
    private var connections: [ObjectIdentifier: any Channel] = [:]

    lazy var transactions = TransactionCoordinator(
        timers: self.timers,
        settings: self.settings,
        markerDelay: { [unowned self] in self.dice.duration(in: self.faults.markerDelay) },
        writeMarkers: { [unowned self] in self.writeMarkers(of: $0, $1) }
    )

    init(settings: BrokerSettings, timers: Timers) {
        self.settings = settings
        self.timers = timers
        self.dice = Dice(seed: settings.seed)
    }

    func listens(on host: String, port: Int) {
        self.host = host
        self.port = Int32(clamping: port)
    }

    // MARK: Topics

    func partition(_ partition: TopicPartition) -> Partition? {
        self.topics[partition.topic]?.partition(partition.partition)
    }

    /// - Returns: why there is no such topic now, if there is none.
    func createTopic(_ name: String, partitions: Int, _ configuration: TopicConfiguration) -> ErrorCode? {
        guard Topic.isValidName(name) else { return .invalidTopic }
        guard self.topics[name] == nil else { return .topicAlreadyExists }
        guard 1...BrokerSettings.partitionLimit ~= partitions else { return .invalidPartitions }
        guard self.partitionCount + partitions <= BrokerSettings.partitionLimit else {
            return .policyViolation
        }
        self.topics[name] = Topic(
            name,
            partitions: partitions,
            configuration,
            retainedByteLimit: self.settings.bytesPerPartition
        )
        return nil
    }

    /// Of all topics together.
    var partitionCount: Int { self.topics.values.reduce(0) { $0 + $1.partitions.count } }

    func deleteTopic(_ name: String) -> ErrorCode? {
        guard let topic = self.topics.removeValue(forKey: name) else { return .unknownTopicOrPartition }
        for partition in topic.partitions { partition.wake() }
        for group in self.groups.values { group.offsets.forget(topic: name) }
        return nil
    }

    // MARK: Groups and transactions

    /// The group of this name, made if there is none.
    func group(_ id: String) -> Result<Group, ErrorCode> {
        guard !id.isEmpty else { return .failure(.invalidGroupID) }
        if let group = self.groups[id] { return .success(group) }
        guard self.groups.count < BrokerSettings.groupLimit else { return .failure(.policyViolation) }
        let group = Group(id, timers: self.timers, settings: self.settings)
        self.groups[id] = group
        return .success(group)
    }

    private func writeMarkers(of transaction: Transaction, _ outcome: TransactionOutcome) {
        let written = transaction.partitions.compactMap { self.partition($0) }
        for partition in written {
            partition.append(marker: outcome, of: transaction.producer, at: self.clock.now())
        }
        for group in transaction.groups {
            self.groups[group]?.offsets.ended(by: transaction.producer.id, outcome)
        }
        for partition in written { partition.wake() }
    }

    // MARK: Faults

    func latency() -> Duration { self.dice.duration(in: self.faults.latency) }

    /// Requests to the coordinators are answered NOT_COORDINATOR for so long.
    func moveCoordinators(for time: Duration) {
        self.faultCounts.coordinatorMoves += 1
        if self.absence == nil { for group in self.groups.values { group.coordinatorLeft() } }
        self.absence?.cancel()
        self.absence = self.timers.after(time) { [weak self] in
            guard let self else { return }
            self.absence = nil
            for group in self.groups.values { group.coordinatorCameBack() }
        }
    }

    // MARK: Connections

    /// - Returns: whether the connection may stay.
    func admits(_ channel: any Channel) -> Bool {
        guard !self.faults.refusesConnections else {
            self.faultCounts.refusedConnections += 1
            return false
        }
        self.connections[ObjectIdentifier(channel)] = channel
        return true
    }

    func connectionClosed(_ channel: any Channel) { self.connections[ObjectIdentifier(channel)] = nil }

    func cutConnections() {
        for channel in Array(self.connections.values) { channel.close(promise: nil) }
    }
}
