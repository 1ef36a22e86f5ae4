import Fleet
import Foundation
import Harness
import Kafka
import Terminal

/// The brokers of a chaos run: an embedded one that can be made to fail, or a real cluster.
final class ChaosCluster {
    /// The number of partitions of each topic.
    static let partitions = 8

    private let harness: Harness
    private let topics: [String]
    /// The client that creates and deletes topics on a real cluster; nil with the embedded broker.
    private let admin: Admin?
    private var broker: CapturedProcess?
    /// The addresses of the brokers, for `bootstrap.servers`.
    private(set) var brokers: String

    /// - Parameter brokers: the addresses of a real cluster; nil for an embedded broker.
    init(_ brokers: String?, topics: [String], on harness: Harness) throws {
        self.harness = harness
        self.topics = topics
        self.brokers = brokers ?? ""
        self.admin = try brokers.map { try Admin(["bootstrap.servers": $0]) }
    }

    /// The name of an input topic. On a real cluster it is unique.
    static func topic(_ name: String, _ options: ChaosOptions) -> String {
        guard options.brokers != nil else { return name }
        return "flotilla-chaos-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Starts the embedded broker, or creates the topics on the real cluster.
    func start() throws {
        guard let admin else {
            let topics = self.topics.flatMap { ["--topic", "\($0):\(Self.partitions)"] }
            let words = ["broker", "--kind", "embedded", "--until-stdin-closes"] + topics
            let own = try Sibling.path(of: "flotilla-lab")
            let broker = try self.harness.start("the broker", own, arguments: words)
            self.broker = broker
            try self.harness.turn { broker.firstLine != nil }
            self.brokers = broker.firstLine ?? ""
            return
        }
        for topic in self.topics {
            try admin.createTopics(
                [topic: Self.partitions],
                settings: TopicPlan(name: topic, partitions: Self.partitions).settings,
                atMost: .seconds(30)
            )
        }
        // For a moment the brokers can answer as if a new topic did not exist.
        var known: [String: Int] = [:]
        while !self.topics.allSatisfy({ known[$0] == Self.partitions }) {
            try self.harness.turn()
            known = try admin.metadata(atMost: .seconds(10)).partitionCounts
        }
    }

    /// Deletes the topics that were created on a real cluster.
    func stop() {
        if self.admin != nil { try? self.admin?.deleteTopics(self.topics, atMost: .seconds(30)) }
    }

    /// Sends an order to the embedded broker. Has no effect with a real cluster.
    func tellBroker(_ order: BrokerOrder) { self.broker?.process.tell(order.line) }

    /// The fault counts in the embedded broker's latest response to an order; nil if there is none.
    var brokerCounts: BrokerOrder.Counts? { self.broker?.lastLine.flatMap(BrokerOrder.Counts.init) }
}

extension BrokerOrder.Counts {
    fileprivate init?(_ line: String) {
        guard let counts = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = counts
    }
}
