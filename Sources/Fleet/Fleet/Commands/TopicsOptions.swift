import ArgumentParser
import Kafka
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
        completion: .list(Roster.programsWithTopics.map(\.name))
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

    @Option(help: ArgumentHelp("How long the cluster may take to answer.", valueName: "seconds"))
    var wait = 10

    func validate() throws {
        _ = try Roster.program(self.worker, among: Roster.programsWithTopics)
        guard (1...10_000).contains(self.partitions) else {
            throw ValidationError("--partitions is from 1 to 10000.")
        }
        guard (1...100).contains(self.minInsyncReplicas ?? 1) else {
            throw ValidationError("--min-insync-replicas is from 1 to 100.")
        }
        guard (1...600).contains(self.wait) else { throw ValidationError("--wait is from 1 to 600 seconds.") }
    }

    /// Reads the settings, and connects to the cluster that they name.
    ///
    /// - Throws: `SettingsFaults`, `FaultySettings` or `KafkaError`.
    func connect() throws -> TopicsOfWorker {
        let file = try WorkerFile(self.config, of: self.worker)
        let kafka = file.kafka
        return TopicsOfWorker(
            wanted: file.topics,
            kafka: kafka,
            // The client's own log is turned off: if no broker answers, the error says so.
            consumer: try Consumer(kafka.consumerProperties().merging(["log_level": "0"]) { $1 }),
            defaults: TopicComparison.Defaults(
                partitions: self.partitions,
                leastInSync: self.minInsyncReplicas
            ),
            longest: .seconds(self.wait)
        )
    }
}
