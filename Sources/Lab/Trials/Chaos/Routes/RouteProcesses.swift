import Fleet
import Harness
import ServiceKit
import Terminal

/// The processes of a chaos run with uploads, and the topics between them: gateways, intakes, and workers that
/// report to the Marketing API and to callbacks.
final class RouteProcesses {
    /// The app and the account of all conversions, and the names that the SDK has for them.
    static let (app, account): (UInt64, UInt64) = (445_566, 20_000)
    static let (project, source) = ("chaos", "ios-app")
    private static let actionSet = 1_100_000_001
    private static let token = "of-this-run"

    /// The names of the topics.
    struct Topics {
        /// The input topic for activations of backends.
        var activations: String

        var uploads: String { "\(self.activations).uploads" }
        var uploadResults: String { "\(self.uploads).result" }
        var events: String { "\(self.activations).events" }
        var home: String { "\(self.activations).home" }
        var changelog: String { "\(self.home).changelog" }
        var due: String { "\(self.activations).due" }
        var reports: String { "\(self.due).result" }
        var refusals: String { "\(self.activations).result" }
        var parked: String { "\(self.due).parked" }
        var letters: [String] { ["\(self.activations).dead-letter", "\(self.due).dead-letter"] }
        /// The topics that gateways, intakes and workers consume.
        var consumed: [String] { [self.activations, self.uploads, self.home, self.due] }

        var all: [String] {
            self.consumed + self.letters
                + [
                    self.uploadResults, self.events, self.changelog, self.reports, self.refusals, self.parked,
                ]
        }
    }

    let options: ChaosOptions
    let topics: Topics
    let cluster: ChaosCluster
    let reporters: ChaosCrew
    let intakes: ChaosCrew
    let gateways: ChaosCrew
    private let harness: Harness
    private let folder: TemporaryFolder
    /// The URL of the simulator of the Marketing API.
    private(set) var marketing = ""

    init(_ options: ChaosOptions, on harness: Harness, in folder: TemporaryFolder) throws {
        self.options = options
        self.harness = harness
        self.folder = folder
        let topics = Topics(activations: ChaosCluster.topic("activation", options))
        self.topics = topics
        self.cluster = try ChaosCluster(options.brokers, topics: topics.all, on: harness)
        func crew(
            _ name: String,
            on topic: String,
            command: [String],
            called title: String,
            size: Int,
            queueFactor: Int = 1
        )
            -> ChaosCrew
        {
            ChaosCrew(
                WorkerIdentity(name: name, topic: topic, upstream: ""),
                called: title,
                command: command,
                queueFactor: queueFactor,
                size: size,
                options: options,
                on: harness,
                in: folder
            )
        }
        let worker = Roster.activation.name
        self.reporters = crew(
            worker,
            on: topics.due,
            command: [worker, "run"],
            called: "worker",
            size: options.workers
        )
        self.intakes = crew(
            "activation-intake",
            on: topics.activations,
            command: [worker, "intake", "run"],
            called: "intake",
            size: min(2, options.workers),
            queueFactor: 16
        )
        self.gateways = crew(
            "gateway",
            on: topics.uploads,
            command: ["gateway", "run"],
            called: "gateway",
            size: 1
        )
    }

    var crews: [ChaosCrew] { [self.reporters, self.intakes, self.gateways] }

    /// Starts the broker and the simulators, creates the topics, and starts the workers.
    func start() throws {
        let upstream = try self.harness.start(
            "the simulator",
            try Sibling.path(of: "flotilla-lab"),
            arguments: [
                "upstreams", "--until-stdin-closes", "--seed", String(self.options.seed), "--marketing",
                "\(Self.account):\(Self.actionSet):\(Self.token)",
            ]
        )
        try self.cluster.start()
        try self.harness.turn { upstream.firstLines.count >= 2 }
        self.marketing = upstream.firstLines.last ?? ""
        try self.writeSettings()
        for crew in self.crews {
            for place in 0..<crew.size { try crew.start(place, queueLimit: nil) }
        }
        // Without a gateway nothing can be uploaded.
        try self.harness.turn { self.gateways.slot(at: 0)?.gateway != nil }
    }

    // MARK: - Settings

    private func writeSettings() throws {
        let brokers = self.cluster.brokers
        try self.reporters.writeSettings { name, kafka, worker in
            let text =
                WorkerFile.common(brokers: brokers, kafka: kafka, worker: worker)
                    + """
                    gdt:
                      apps:
                        - app_id: \(Self.app)
                          advertiser_id: \(Self.account)
                          route: marketing_api
                          user_action_set_id: \(Self.actionSet)
                          access_token: \(Self.token)
                          callbacks: true
                    marketing_api:
                      url: \(self.marketing)/v3.0
                      callback_hosts: [127.0.0.1]
                      callback_lab: true

                    """
            try self.folder.write(text, to: name)
        }
        try self.intakes.writeSettings { name, kafka, _ in
            let text = """
                \(Self.section("kafka", ["brokers: \(brokers)", "fetch_wait: 10ms"] + kafka))\
                sdk:
                  topic: \(self.topics.uploads)
                  events_topic: \(self.topics.events)
                  apps:
                    - account: \(Self.project)
                      data_source: \(Self.source)
                      app_id: \(Self.app)
                      advertiser_id: \(Self.account)
                      app_type: IOS
                duplicates:
                  window: 7d
                \(Self.health)
                """
            try self.folder.write(text, to: name)
        }
        try self.gateways.writeSettings { name, kafka, _ in
            // A gateway has no consumer, so of these settings it knows the producer's alone.
            let own = ["brokers: \(brokers)"] + kafka.drop { $0 != "properties:" }
            let text = """
                \(Self.section("kafka", own))\
                gateway:
                  host: 127.0.0.1
                  port: 0
                  routes: [uploads]
                  uploads_topic: \(self.topics.uploads)
                  client_rate: 100000
                \(Self.health)
                """
            try self.folder.write(text, to: name)
        }
    }

    private static let health = """
        health:
          host: 127.0.0.1
          port: 0

        """

    private static func section(_ name: String, _ lines: [String]) -> String {
        "\(name):\n" + lines.map { "  \($0)\n" }.joined()
    }
}
