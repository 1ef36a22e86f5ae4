internal import NIOCore

/// The complete state of the broker.
///
/// The node lives on one event loop: nothing runs concurrently with its methods, and no locks are needed. The
/// request handlers are extensions in the folder `Requests`, one file per family of requests.
final class Node {
    /// The id of the only broker in the cluster.
    static let id: Int32 = 1

    private(set) var settings: BrokerSettings
    let timers: Timers
    let clock: WallClock
    /// The cluster id. It differs at each start, because the offsets begin again at 0.
    let clusterID = "embedded-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    var topics: [String: Topic] = [:]
    var groups: [String: Group] = [:]
    var access: AccessRules
    var faults = BrokerFaults()
    var dice: Dice
    var faultCounts = FaultCounts()
    private(set) var host = ""
    private(set) var port: Int32 = 0
    /// The timer of a simulated coordinator move. While it is set, requests to the coordinators are answered
    /// with NOT_COORDINATOR.
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
        self.clock = WallClock(aheadBy: settings.clockLead)
        self.access = AccessRules(rules: settings.security.rules)
        self.timers = timers
        self.dice = Dice(seed: settings.seed)
    }

    /// Stores the listener's address, which the metadata reports to clients.
    func listens(on host: String, port: Int) {
        self.host = host
        self.port = Int32(clamping: port)
    }

    // MARK: Topics

    func partition(_ partition: TopicPartition) -> Partition? {
        self.topics[partition.topic]?.partition(partition.partition)
    }

    /// Creates a topic.
    ///
    /// - Returns: the error if the topic was not created, or nil.
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

    /// The number of partitions of all topics together.
    var partitionCount: Int { self.topics.values.reduce(0) { $0 + $1.partitions.count } }

    /// Deletes a topic with its records and the groups' offsets for it. Waiting fetches are answered.
    ///
    /// - Returns: the error if there is no such topic, or nil.
    func deleteTopic(_ name: String) -> ErrorCode? {
        guard let topic = self.topics.removeValue(forKey: name) else { return .unknownTopicOrPartition }
        for partition in topic.partitions { partition.wake() }
        for group in self.groups.values { group.offsets.forget(topic: name) }
        return nil
    }

    // MARK: Groups and transactions

    /// The group with this name, which is created if it does not exist.
    func group(_ id: String) -> Result<Group, ErrorCode> {
        guard !id.isEmpty else { return .failure(.invalidGroupID) }
        if let group = self.groups[id] { return .success(group) }
        guard self.groups.count < BrokerSettings.groupLimit else { return .failure(.policyViolation) }
        let group = Group(id, timers: self.timers, settings: self.settings)
        self.groups[id] = group
        return .success(group)
    }

    /// Writes a transaction's markers into its partitions, and commits or discards its offsets.
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

    /// Answers all requests to the coordinators with NOT_COORDINATOR for this time. A second call replaces
    /// the time that is left.
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

    /// Registers a new connection.
    ///
    /// - Returns: whether the connection may stay open.
    func admits(_ channel: any Channel) -> Bool {
        guard !self.faults.refusesConnections else {
            self.faultCounts.refusedConnections += 1
            return false
        }
        self.connections[ObjectIdentifier(channel)] = channel
        return true
    }

    func connectionClosed(_ channel: any Channel) { self.connections[ObjectIdentifier(channel)] = nil }

    /// Replaces the passwords of the users. Connections that have logged in stay.
    func setPasswords(_ passwords: [String: String]) { self.settings.security.passwords = passwords }

    func cutConnections() {
        for channel in Array(self.connections.values) { channel.close(promise: nil) }
    }
}
