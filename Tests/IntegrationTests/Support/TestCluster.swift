import EmbeddedBroker
import EventThread
import Foundation
import Kafka
import Records

/// A Kafka cluster for one test, with topics of its own: the embedded broker, or the one that
/// `FLOTILLA_TEST_BROKERS` names, where the topics have unique names and are deleted afterwards.
final class TestCluster {
    let brokers: String
    private(set) var topics: [String]
    let input: String
    var results: String { "\(self.input).result" }
    var deadLetters: String { "\(self.input).dead-letter" }
    var parked: String { "\(self.input).parked" }

    private var embedded: MockCluster?
    private var transactional: EmbeddedBroker?
    private let admin: Admin?
    private var isRemoved = false

    /// One that takes transactions at their word, which the mock cluster does not.
    ///
    /// - Parameter settings: of the embedded broker.
    static func transactional(
        partitions: Int = 4,
        withDeadLetters: Bool = true,
        retries: [String] = [],
        _ settings: BrokerSettings = BrokerSettings()
    ) async throws -> TestCluster {
        let names = Self.names(withDeadLetters: withDeadLetters, retries: retries)
        if let brokers = Self.external { return try TestCluster(partitions, at: brokers, names) }
        let broker = try await EmbeddedBroker.start(settings)
        let cluster = try TestCluster(partitions, at: broker.address, names)
        cluster.transactional = broker
        return cluster
    }

    private static func names(withDeadLetters: Bool = true, retries: [String] = []) -> [String] {
        let input = "flotilla-test-\(UUID().uuidString.lowercased())"
        return [input, "\(input).result"] + (withDeadLetters ? ["\(input).dead-letter"] : [])
            + retries.map { "\(input).retry.\($0)" }
    }

    private init(
        _ partitions: Int,
        at brokers: String,
        _ names: [String],
        further: [String] = []
    ) throws {
        self.input = names[0]
        self.topics = names + further
        self.brokers = brokers
        let admin = try Admin(["bootstrap.servers": brokers, "log_level": "0"])
        self.admin = admin
        try self.create(Dictionary(uniqueKeysWithValues: names.map { ($0, partitions) }))
    }

    convenience init(partitions: Int = 4, withDeadLetters: Bool = true) throws {
        let names = Self.names(withDeadLetters: withDeadLetters)
        if let brokers = Self.external {
            try self.init(partitions, at: brokers, names)
        } else {
            try self.init(partitions, mock: names)
        }
    }

    private init(_ partitions: Int, mock names: [String]) throws {
        self.input = names[0]
        self.topics = names
        do {
            let cluster = try MockCluster()
            for name in names { try cluster.createTopic(name, partitions: partitions) }
            self.embedded = cluster
            self.admin = nil
            self.brokers = cluster.bootstrapServers
        }
    }

    /// A test that ends before its last line leaves nothing behind either.
    deinit { try? self.remove() }

    /// Removes what this test made on a cluster that stays, and what the programs made that it started: every topic whose
    /// name begins with the input's, which no other test has. Called last, so that the topics stay until then.
    func remove() throws {
        guard !self.isRemoved, let admin = self.admin else { return }
        self.isRemoved = true
        let names = try admin.metadata(atMost: .seconds(30)).partitionCounts.keys
        try admin.deleteTopics(names.filter { $0.hasPrefix(self.input) }, atMost: .seconds(30))
    }

    /// Deletes the topics, and ends a broker that was started for this test.
    func end() async throws {
        try self.remove()
        await self.transactional?.stop()
    }

    /// Whether tests may do to the broker what they would not do to one that stays.
    static var isEmbedded: Bool { Self.external == nil }

    private static var external: String? {
        ProcessInfo.processInfo.environment["FLOTILLA_TEST_BROKERS"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Topics beside those that every worker has, called after the input: removed with it.
    static func transactional(
        _ counts: [String: Int],
        input partitions: Int,
        _ settings: BrokerSettings = BrokerSettings()
    ) async throws -> TestCluster {
        let names = Self.names()
        let further = counts.keys.sorted().map { "\(names[0]).\($0)" }
        let broker = Self.external == nil ? try await EmbeddedBroker.start(settings) : nil
        let cluster = try TestCluster(
            partitions,
            at: Self.external ?? broker?.address ?? "",
            names,
            further: further
        )
        cluster.transactional = broker
        let plan = Dictionary(uniqueKeysWithValues: counts.map { ("\(names[0]).\($0.key)", $0.value) })
        let changelogs = plan.filter { $0.key.hasSuffix(".changelog") }
        try cluster.create(plan.filter { changelogs[$0.key] == nil })
        try cluster.create(changelogs, ["message.timestamp.type": "LogAppendTime"])
        return cluster
    }

    /// A topic with settings that a cluster which stays might not allow: on the transactional one only.
    func createTopic(_ name: String, _ settings: [String: String]) async throws {
        try await self.transactional?.createTopic(name, partitions: 1, settings: settings)
    }

    /// One that a worker may still wait for.
    func createDeadLetters() throws {
        self.topics.append(self.deadLetters)
        try self.create([self.deadLetters: 1])
    }

    /// Where records are put aside.
    func createParking(partitions: Int) throws {
        self.topics.append(self.parked)
        try self.create(
            [self.parked: partitions],
            ["cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"]
        )
    }

    /// Gives a topic so many partitions; the input topic if no other is named.
    func grow(_ topic: String? = nil, to count: Int) throws {
        let topic = topic ?? self.input
        try self.admin?.grow(topic, to: count, atMost: .seconds(30))
        try self.wait(for: [topic: count])
    }

    /// The offsets before the ends of a topic's partitions that the consumer group of the tests' workers has not committed,
    /// marks of transactions included; what `kafka-consumer-groups` calls the lag.
    func lag(of topic: String, partitions: Int) throws -> Int64 {
        // A reader of committed records only is told the end before the first transaction that is open.
        let consumer = try Consumer([
            "bootstrap.servers": self.brokers, "group.id": self.input, "isolation.level": "read_uncommitted",
        ])
        defer { consumer.abandon() }
        let all = (0..<partitions).map { TopicPartition(topic: topic, partition: Int32($0)) }
        let ends = try consumer.offsets(
            notBefore: Dictionary(uniqueKeysWithValues: all.map { ($0, LogReader.end) }),
            atMost: .seconds(30)
        )
        return try consumer.committed(all, atMost: .seconds(30)).reduce(0) { lag, position in
            lag + ends[position.partition, default: 0] - (position.offset ?? 0)
        }
    }

    private func create(_ counts: [String: Int], _ settings: [String: String] = [:]) throws {
        guard !counts.isEmpty else { return }
        try self.admin?.createTopics(counts, settings: settings, atMost: .seconds(30))
        try self.wait(for: counts)
    }

    /// Apache Kafka answers before its brokers know of it.
    private func wait(for counts: [String: Int]) throws {
        struct NotThere: Error { var topics: [String] }
        guard let admin = self.admin else { return }
        let deadline = ContinuousClock.now + .patience
        while true {
            let seen = try admin.metadata(atMost: .seconds(30)).partitionCounts
            let missing = counts.filter { seen[$0.key] != $0.value }.keys.sorted()
            if missing.isEmpty { return }
            guard ContinuousClock.now < deadline else { throw NotThere(topics: missing) }
        }
    }

    /// Makes the embedded broker misbehave.
    func setFaults(_ faults: BrokerFaults) async throws { try await self.transactional?.setFaults(faults) }

    /// Ends the embedded broker, as a power cut would.
    func shutDownBroker() { self.embedded = nil }

    /// Publishes records and waits until the cluster has them all.
    func publish(_ records: [OutboundRecord]) throws {
        let publication = try Publication(self.brokers)
        for record in records { try publication.send(record) }
        try publication.finish()
    }
}

/// Records on their way to a cluster.
private final class Publication {
    struct NotAcknowledged: Error { var missing: Int }

    private let producer: Producer
    private var sent = 0
    private var acknowledged = 0
    private var failure: KafkaError?

    init(_ brokers: String) throws {
        self.producer = try Producer(
            ["bootstrap.servers": brokers, "linger.ms": "5", "message.max.bytes": "10000000"]
        )
    }

    func send(_ record: OutboundRecord) throws {
        while try self.isFull(for: record) { self.takeReports(atMost: .seconds(1)) }
        self.sent += 1
    }

    func finish() throws {
        let deadline = ContinuousClock.now + .patience
        while self.acknowledged < self.sent, ContinuousClock.now < deadline {
            self.takeReports(atMost: .seconds(1))
        }
        if let failure = self.failure { throw failure }
        guard self.acknowledged == self.sent else {
            throw NotAcknowledged(missing: self.sent - self.acknowledged)
        }
    }

    private func isFull(for record: OutboundRecord) throws -> Bool {
        do throws(KafkaError) {
            try self.producer.send(record, id: UInt64(self.sent))
            return false
        } catch {
            guard error.code == .queueFull else { throw error }
            return true
        }
    }

    private func takeReports(atMost longest: Duration) {
        var wait = Wait(on: [self.producer.descriptor])
        wait(atMost: longest)
        self.producer.serve { event in
            guard case .reported(_, let error) = event else { return }
            self.acknowledged += 1
            self.failure = self.failure ?? error
        }
    }
}
