import Fleet
import Harness
import ServiceKit
import Terminal
import UpstreamSimulator

/// The processes of a chaos run and the topics between them.
final class ChaosProcesses {
    let options: ChaosOptions
    private let harness: Harness
    private let file: WorkerFile
    /// The settings files of the receipt workers; nil without receipt workers.
    private let store: ChaosStore?
    let cluster: ChaosCluster
    /// The URL of the GDT simulator.
    private(set) var upstream = ""
    /// The URL of the simulator of the store's sandbox; nil without receipt workers.
    private(set) var sandbox: String?
    let activations: ChaosCrew
    /// The receipt workers; nil without an adversary.
    let receipts: ChaosCrew?
    /// The push-arrival workers; nil without an adversary.
    let pushes: ChaosCrew?
    private let folder: TemporaryFolder

    init(_ options: ChaosOptions, on harness: Harness, in folder: TemporaryFolder) throws {
        self.options = options
        self.harness = harness
        self.folder = folder
        self.file = try WorkerFile(in: folder)
        self.store = options.hasAdversary ? try ChaosStore(in: folder) : nil
        func crew(_ worker: WorkerIdentity, _ title: String, size: Int, factor: Int = 1) -> ChaosCrew {
            var worker = worker
            worker.topic = ChaosCluster.topic(worker.topic, options)
            return ChaosCrew(
                worker,
                called: title,
                queueFactor: factor,
                size: size,
                options: options,
                on: harness,
                in: folder
            )
        }
        let side = options.sideWorkers
        self.activations = crew(Roster.activation, "worker", size: options.workers)
        self.receipts = options.hasAdversary ? crew(Roster.receipt, "receipt worker", size: side) : nil
        self.pushes =
            options.hasAdversary
            ? crew(Roster.pushArrival, "push worker", size: side, factor: Self.recordsOfAnEvent) : nil
        let crews = [self.activations, self.receipts, self.pushes].compactMap(\.self)
        self.cluster = try ChaosCluster(options.brokers, topics: crews.flatMap(\.topics), on: harness)
    }

    /// The addresses of the brokers, for `bootstrap.servers`.
    var brokers: String { self.cluster.brokers }

    /// The most records that a push-arrival worker writes for one event, and some room.
    private static let recordsOfAnEvent = 16

    var crews: [ChaosCrew] { [self.activations, self.receipts, self.pushes].compactMap(\.self) }

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
        try self.cluster.start()
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

    /// The account that GDT does not know at first; nil without an adversary.
    var lateAccount: GDTKeys? { self.options.hasAdversary ? LateAccount.keys(self.file) : nil }

    private func writeSettings(production: String) throws {
        let apps = [DemoAccount.appID] + (self.options.hasAdversary ? [LateAccount.appID] : [])
        try self.activations.writeSettings { name, kafka, worker in
            try self.file.write(
                to: name,
                brokers: self.brokers,
                upstream: self.upstream,
                kafka: kafka,
                worker: worker,
                apps: apps,
                sections: self.options.hasAdversary ? LateAccount.holdSettings : ""
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
        try self.pushes?.writeSettings { name, kafka, _ in
            try ChaosPushes(folder: self.folder).write(to: name, brokers: self.brokers, kafka: kafka)
        }
    }
}
