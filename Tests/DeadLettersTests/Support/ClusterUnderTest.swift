import Dispatch
import EmbeddedBroker
import EventThread
import Foundation
import Kafka
import Operations
import Records
import Testing
import WireFormats
import WorkerTestSupport

@testable import DeadLetters

/// A broker of its own with a topic `orders` and its dead letters, and a folder for indexes.
final class ClusterUnderTest: Sendable {
    let broker: EmbeddedBroker
    let folder: TemporaryFolder
    static let letters = "orders.dead-letter"
    /// The number of partitions of every topic that is made here.
    static let partitions = 2

    private init(_ broker: EmbeddedBroker) throws {
        self.broker = broker
        self.folder = try TemporaryFolder()
    }

    /// Runs a body on a thread of its own: it waits, and Swift's few threads are needed for what it waits for.
    static func with(
        topics: [String] = ["orders", "orders.dead-letter"],
        _ body: (ClusterUnderTest) async throws -> Void
    ) async throws {
        let broker = try await EmbeddedBroker.start()
        do {
            for topic in topics { try await broker.createTopic(topic, partitions: Self.partitions) }
            let cluster = try ClusterUnderTest(broker)
            try await withTaskExecutorPreference(OwnThread()) { try await body(cluster) }
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    var properties: [String: String] {
        [
            "bootstrap.servers": self.broker.address, "log_level": "0", "fetch.wait.max.ms": "10",
            "linger.ms": "1",
        ]
    }

    func settings(index: String = "index", user: String = "anna") -> DeadLetterSettings {
        DeadLetterSettings(
            properties: self.properties,
            user: user,
            salt: Secret("salt"),
            indexPath: self.folder.url.appendingPathComponent("\(index).sqlite").path,
            patience: .seconds(20),
            transactionTimeout: .seconds(10)
        )
    }

    func reader(
        index: String = "index",
        user: String = "anna",
        _ change: (inout DeadLetterSettings) -> Void = { _ in }
    ) throws -> ClusterReader {
        var settings = self.settings(index: index, user: user)
        change(&settings)
        return try ClusterReader(settings, environment: [:])
    }

    func desk(
        index: String = "index",
        user: String = "anna",
        _ change: (inout DeadLetterSettings) -> Void = { _ in }
    ) throws -> Desk {
        Desk(try self.reader(index: index, user: user, change)) { Letters.start + 60_000 }
    }

    func clusterID() throws -> String {
        let reader = try LogReader(self.properties)
        return try #require(reader.clusterID(atMost: .seconds(10)))
    }

    /// Publishes records and waits until the broker has them.
    func publish(_ records: [OutboundRecord]) throws {
        try WorkerTestSupport.publish(records, with: self.properties)
    }

    /// Publishes letters of so many records, each in the partition of its number.
    func publishLetters(_ numbers: Range<Int64>, in topic: String = ClusterUnderTest.letters) throws {
        let id = try self.clusterID()
        try self.publish(
            numbers.map { number in
                Letters.record(
                    number,
                    in: topic,
                    partition: Int32(number % Int64(Self.partitions)),
                    clusterID: id
                )
            }
        )
    }

    /// All that a reader of committed records sees in a topic.
    func contents(of topic: String) throws -> [InboundRecord] {
        let log = try LogReader(
            self.properties.merging(["isolation.level": "read_committed", "auto.offset.reset": "earliest"]) {
                $1
            }
        )
        let count = try log.metadata(atMost: .seconds(10)).partitionCounts[topic] ?? 0
        var ranges: [TopicPartition: Range<Int64>] = [:]
        for partition in 0..<Int32(count) {
            let partition = TopicPartition(topic: topic, partition: partition)
            ranges[partition] = try log.bounds(of: partition, atMost: .seconds(10))
        }
        var records: [InboundRecord] = []
        try LogStretch(log: log, ranges: ranges, patience: .seconds(20)).read { _, record in
            records.append(record.copy())
        } _: { _ in
        }
        return records
    }

    func deleteTopic(_ topic: String) throws {
        try Admin(self.properties).deleteTopics([topic], atMost: .seconds(10))
    }

    func makeTopic(_ topic: String, settings: [String: String] = [:]) async throws {
        try await self.broker.createTopic(topic, partitions: Self.partitions, settings: settings)
    }
}

/// Runs one test's task where it may wait as long as it likes.
final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Transactions of somebody else, step by step.
final class OpenTransaction {
    private let producer: Producer
    private let transactions: Transactions
    private var wait: Wait

    init(_ cluster: ClusterUnderTest, id: String = "somebody-else") throws {
        self.producer = try Producer(
            cluster.properties.merging(["transactional.id": id, "transaction.timeout.ms": "30000"]) { $1 }
        )
        self.transactions = Transactions(of: self.producer)
        self.wait = Wait(on: [self.producer.descriptor])
        self.transactions.open()
        try self.expect(.opened)
    }

    deinit { self.producer.retire() }

    /// Sends records and waits until the broker has them, undecided.
    func send(_ records: [OutboundRecord]) throws {
        for (index, record) in records.enumerated() { try self.producer.send(record, id: UInt64(index)) }
        let deadline = ContinuousClock.now + .seconds(20)
        while self.producer.unreported > 0, ContinuousClock.now < deadline { self.serve() }
        try #require(self.producer.unreported == 0)
    }

    func commit() throws {
        self.transactions.commit()
        try self.expect(.committed)
    }

    func abort() throws {
        self.transactions.abort()
        try self.expect(.aborted)
    }

    private func serve() {
        self.wait(atMost: .milliseconds(100))
        self.producer.serve { _ in }
    }

    private func expect(_ wanted: Transactions.Answer) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if let answer = self.transactions.takeAnswers().first {
                return try #require(answer == wanted)
            }
            self.serve()
        }
        Issue.record("no answer: \(wanted)")
    }
}
