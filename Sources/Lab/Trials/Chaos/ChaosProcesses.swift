import Fleet
import Foundation
import Harness
import Kafka
import ServiceKit
import Terminal
import UpstreamHTTP

/// The processes of a chaos run and the topics between them.
final class ChaosProcesses {
    /// The number of partitions of each topic.
    static let partitions = 8

    let options: ChaosOptions
    private let harness: Harness
    private let folder: TemporaryFolder
    private let file: WorkerFile
    /// The settings files of the receipt workers; nil without receipt workers.
    private let store: ChaosStore?
    /// The client that creates and deletes topics on a real cluster; nil with the embedded broker.
    private let admin: Admin?
    private var broker: CapturedProcess?
    /// The addresses of the brokers, for `bootstrap.servers`.
    private(set) var brokers = ""
    /// The URL of the GDT simulator.
    private(set) var upstream = ""
    /// The URL of the simulator of the store's sandbox; nil without receipt workers.
    private(set) var sandbox: String?
    let activations: ChaosCrew
    /// The receipt workers; nil without an adversary.
    let receipts: ChaosCrew?

    init(_ options: ChaosOptions, on harness: Harness, in folder: TemporaryFolder) throws {
        self.options = options
        self.harness = harness
        self.folder = folder
        self.file = try WorkerFile(in: folder)
        self.store = options.hasAdversary ? try ChaosStore(in: folder) : nil
        func crew(_ worker: WorkerIdentity, _ title: String, size: Int) -> ChaosCrew {
            ChaosCrew(worker, called: title, size: size, options: options, on: harness, in: folder)
        }
        self.activations = crew(Roster.activation, "worker", size: options.workers)
        self.receipts =
            options.hasAdversary ? crew(Roster.receipt, "receipt worker", size: options.receiptWorkers) : nil
        self.admin = try options.brokers.map { try Admin(["bootstrap.servers": $0]) }
    }

    var crews: [ChaosCrew] { [self.activations] + (self.receipts.map { [$0] } ?? []) }

    private var topics: [String] { self.crews.flatMap(\.topics) }

    /// Starts the broker and the simulators, creates the topics, and starts the workers.
    func start() throws {
        let own = try Sibling.path(of: "flotilla-lab")
        let words = ["upstreams", "--until-stdin-closes", "--seed", String(self.options.seed)]
        let upstream = try self.harness.start(
            "the simulator",
            own,
            arguments: words + [
                "--scripted", "--keys", self.file.upstreamKeysPath, "--journal", "200000",
            ] + (self.store?.upstreamWords ?? [])
        )
        // The sandbox runs in a process of its own, so that it can fail while production works.
        let sandbox = try self.store.map {
            try self.harness.start("the simulator of the sandbox", own, arguments: words + $0.upstreamWords)
        }
        try self.enterBroker(own)
        try self.harness.turn {
            upstream.firstLines.count >= (self.store == nil ? 1 : 2)
                && (sandbox?.firstLines.count ?? 2) >= 2
        }
        self.upstream = upstream.firstLine ?? ""
        self.sandbox = sandbox?.firstLines.last
        try self.writeSettings(production: upstream.firstLines.last ?? "")
        for crew in self.crews {
            for place in 0..<crew.size { try crew.start(place, queueLimit: nil) }
        }
    }

    private func enterBroker(_ own: String) throws {
        if let brokers = self.options.brokers {
            self.brokers = brokers
            for topic in self.topics {
                try self.admin?.createTopics(
                    [topic: Self.partitions],
                    settings: TopicPlan(name: topic, partitions: Self.partitions).settings,
                    atMost: .seconds(30)
                )
            }
            try self.waitForTopics()
        } else {
            let topics = self.topics.flatMap { ["--topic", "\($0):\(Self.partitions)"] }
            let words = ["broker", "--kind", "embedded", "--until-stdin-closes"] + topics
            let broker = try self.harness.start("the broker", own, arguments: words)
            self.broker = broker
            try self.harness.turn { broker.firstLine != nil }
            self.brokers = broker.firstLine ?? ""
        }
    }

    /// Waits until the brokers know the topics that were just made. For a moment they can answer as if a new
    /// topic did not exist.
    private func waitForTopics() throws {
        guard let admin else { return }
        var known: [String: Int] = [:]
        while !self.topics.allSatisfy({ known[$0] == Self.partitions }) {
            try self.harness.turn()
            known = try admin.metadata(atMost: .seconds(10)).partitionCounts
        }
    }

    private func writeSettings(production: String) throws {
        try self.activations.writeSettings { name, kafka, worker in
            try self.file.write(
                to: name,
                brokers: self.brokers,
                upstream: self.upstream,
                kafka: kafka,
                worker: worker
            )
        }
        try self.receipts?.writeSettings { name, kafka, worker in
            try self.store?.write(
                to: name,
                brokers: self.brokers,
                production: production,
                sandbox: self.sandbox ?? "",
                kafka: kafka,
                worker: worker
            )
        }
    }

    /// Deletes the topics that were created on a real cluster, and the temporary folder.
    func stop() {
        if self.admin != nil { try? self.admin?.deleteTopics(self.topics, atMost: .seconds(30)) }
        self.folder.remove()
    }

    // MARK: - Broker

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
