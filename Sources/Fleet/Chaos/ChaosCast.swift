import Foundation
import Glibc
import Kafka
import Terminal
import UpstreamHTTP
import WorkerKit

/// The processes of a chaos run, and the topics between them.
final class ChaosCast {
    static let partitions = 8

    let options: ChaosOptions
    private let stage: Stage
    private let folder: TemporaryFolder
    private let file: WorkerFile
    private let admin: Admin?
    private var broker: Performer?
    private(set) var brokers = ""
    private(set) var upstream = ""
    let topic: String
    var resultTopic: String { "\(self.topic).result" }
    var letterTopic: String { "\(self.topic).dead-letter" }
    var parkedTopic: String { "\(self.topic).parked" }
    private(set) var posts: [WorkerPost] = []
    /// Lives that began with a small producer queue.
    private(set) var smallQueues = 0

    init(_ options: ChaosOptions, on stage: Stage, in folder: TemporaryFolder) throws {
        self.options = options
        self.stage = stage
        self.folder = folder
        self.file = try WorkerFile(in: folder)
        self.topic =
            options.brokers == nil
            ? Roster.activation.topic
            : "flotilla-chaos-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        self.admin = try options.brokers.map { try Admin(["bootstrap.servers": $0]) }
    }

    private var topics: [String] { [self.topic, self.resultTopic, self.letterTopic, self.parkedTopic] }

    /// Starts broker and simulator, makes the topics, and starts the workers.
    func enter() throws {
        let own = try Sibling.path(of: "fleet")
        let upstream = try self.stage.start(
            "the simulator",
            own,
            [
                "upstreams", "--scripted", "--until-stdin-closes", "--keys", self.file.upstreamKeysPath,
                "--journal", "200000", "--seed", String(self.options.seed),
            ]
        )
        if let brokers = self.options.brokers {
            self.brokers = brokers
            for topic in self.topics {
                try self.admin?.createTopics(
                    [topic: Self.partitions],
                    settings: TopicPlan(name: topic, partitions: Self.partitions).settings,
                    atMost: .seconds(30)
                )
            }
        } else {
            let topics = self.topics.flatMap { ["--topic", "\($0):\(Self.partitions)"] }
            let words = ["broker", "--kind", "embedded", "--until-stdin-closes"] + topics
            let broker = try self.stage.start("the broker", own, words)
            self.broker = broker
            try self.stage.turn { broker.firstLine != nil }
            self.brokers = broker.firstLine ?? ""
        }
        try self.stage.turn { upstream.firstLine != nil }
        self.upstream = upstream.firstLine ?? ""
        try self.writeSettings()
        for worker in 0..<self.options.workers { try self.start(worker, queueLimit: nil) }
    }

    /// Removes what was made on a cluster that stays.
    func leave() {
        if self.admin != nil { try? self.admin?.deleteTopics(self.topics, atMost: .seconds(30)) }
        self.folder.remove()
    }

    // MARK: - Workers

    private static func settingsName(_ queueLimit: Int) -> String { "queue-of-\(queueLimit).yaml" }

    private var sessionTimeout: Duration { self.options.brokers == nil ? .seconds(3) : .seconds(6) }

    /// What a killed worker leaves open keeps readers waiting for so long.
    var transactionTimeout: Duration { self.options.brokers == nil ? .seconds(5) : .seconds(10) }

    private func writeSettings() throws {
        try self.writeSettings(WorkerFile.settingsName, queue: [])
        for limit in ChaosSchedule.queueLimits {
            let queue = [
                "properties:", "  - name: queue.buffering.max.messages", "    value: \"\(limit)\"",
            ]
            try self.writeSettings(Self.settingsName(limit), queue: queue)
        }
    }

    private func writeSettings(_ name: String, queue: [String]) throws {
        try self.file.write(
            to: name,
            brokers: self.brokers,
            upstream: self.upstream,
            kafka: [
                "topic: \(self.topic)", "group: \(self.topic)-chaos",
                "session_timeout: \(self.sessionTimeout.components.seconds)s",
                "transaction_timeout: \(self.transactionTimeout.components.seconds)s",
            ] + queue,
            worker: [
                "delivery: \(self.options.delivery.rawValue)", "ordering: key", "drain_limit: 5s",
                "result_format: protobuf",
            ]
        )
    }

    func start(_ worker: Int, queueLimit: Int?) throws {
        while self.posts.count <= worker {
            let name = "worker \(self.posts.count + 1)"
            self.posts.append(WorkerPost(name, on: self.stage, log: try self.log(of: self.posts.count + 1)))
        }
        let name = queueLimit.map(Self.settingsName) ?? WorkerFile.settingsName
        if queueLimit != nil { self.smallQueues += 1 }
        try self.posts[worker].start(self.folder.file(name))
    }

    private func log(of worker: Int) throws -> Int32 {
        guard let folder = self.options.logs else { return -1 }
        let path = "\(folder)/worker-\(worker).log"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Complaint("cannot write \(path): \(FileFailure.last().reason)") }
        return descriptor
    }

    // MARK: - Broker

    func tellBroker(_ order: BrokerOrder) { self.broker?.process.tell(order.line) }

    /// What the embedded broker has counted when it was last told something.
    var brokerCounts: BrokerOrder.Counts? { self.broker?.lastLine.flatMap(BrokerOrder.Counts.init) }

    /// How many records the group has not committed, of those before these ends of the partitions.
    func lag(behind ends: [Int64]) throws -> Int64 {
        let consumer = try Consumer(["bootstrap.servers": self.brokers, "group.id": "\(self.topic)-chaos"])
        defer { consumer.abandon() }
        let partitions = ends.indices.map { TopicPartition(topic: self.topic, partition: Int32($0)) }
        let committed = try consumer.committed(partitions, atMost: .seconds(20))
        return committed.reduce(0) { lag, position in
            lag + max(0, ends[Int(position.partition.partition)] - (position.offset ?? 0))
        }
    }
}

extension BrokerOrder.Counts {
    fileprivate init?(_ line: String) {
        guard let counts = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = counts
    }
}
