import ArgumentParser
import Kafka
import ServiceKit

/// The options of `fleet topics plan` and `apply`, and the comparison that both begin with.
struct TopicsOptions: ParsableArguments {
    @OptionGroup var settings: WorkerOptions

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
        let file = try WorkerFile(self.settings.config, of: self.settings.worker)
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
