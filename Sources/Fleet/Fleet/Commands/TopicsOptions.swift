import ArgumentParser
import Operations
import ServiceKit

/// The options of `fleet topics plan` and `apply`, and the comparison that both begin with.
struct TopicsOptions: ParsableArguments {
    @Option(
        name: [.customLong("config"), .customShort("c")],
        help: "The settings of the worker or the gateway, a YAML file.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String

    @Option(
        help: ArgumentHelp("Whose settings they are.", valueName: "worker"),
        completion: .list(Roster.programs.map(\.name))
    )
    var worker = Roster.activation.name

    @Option(help: ArgumentHelp("The partitions of an input topic that does not exist.", valueName: "n"))
    var partitions = Roster.partitions

    @Option(
        help: ArgumentHelp(
            "min.insync.replicas of each topic; by default it is not looked at.",
            valueName: "n"
        )
    )
    var minInsyncReplicas: Int?

    @Option(
        help: ArgumentHelp(
            "Copies of each partition; by default as many as the brokers make, and not looked at.",
            valueName: "n"
        )
    )
    var replicationFactor: Int?

    @Option(
        help: ArgumentHelp(
            "How long each topic keeps what it deletes by its age, such as 14d; by default what the worker needs.",
            valueName: "duration"
        ),
        transform: TopicsOptions.period
    )
    var retention: Duration?

    @Option(help: ArgumentHelp("How long the cluster may take to answer.", valueName: "seconds"))
    var wait = 10

    func validate() throws {
        _ = try Roster.program(self.worker)
        guard (1...10_000).contains(self.partitions) else {
            throw ValidationError("--partitions is from 1 to 10000.")
        }
        guard (1...100).contains(self.minInsyncReplicas ?? 1) else {
            throw ValidationError("--min-insync-replicas is from 1 to 100.")
        }
        guard (1...100).contains(self.replicationFactor ?? 1) else {
            throw ValidationError("--replication-factor is from 1 to 100.")
        }
        guard (1...600).contains(self.wait) else { throw ValidationError("--wait is from 1 to 600 seconds.") }
    }

    @Sendable private static func period(_ text: String) throws -> Duration {
        guard let period = SettingText.duration(text), period >= .seconds(60) else {
            throw ValidationError("--retention is a period of at least a minute, such as 14d.")
        }
        return period
    }

    /// Reads the settings, and connects to the cluster that they name.
    ///
    /// - Throws: `SettingsFaults`, `FaultySettings` or `KafkaError`.
    func connect() throws -> TopicsOfWorker {
        try TopicsOfWorker(
            self.config,
            of: self.worker,
            TopicComparison.Defaults(
                partitions: self.partitions,
                leastInSync: self.minInsyncReplicas,
                replicas: self.replicationFactor,
                leastRetention: self.retention
            ),
            atMost: .seconds(self.wait)
        )
    }
}
