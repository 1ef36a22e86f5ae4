import ActivationIntake
import ArgumentParser
import Kafka
import Operations
import ServiceKit
import WorkerKit

/// The options of `fleet topics plan` and `apply`, and the comparison that both begin with.
struct TopicsOptions: ParsableArguments {
    @Option(name: [.customLong("config"), .customShort("c")], help: "The worker's settings, a YAML file.")
    var config: String

    @Option(help: ArgumentHelp("Whose settings they are.", valueName: "worker"))
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
        _ = try Roster.program(self.worker)
        guard (1...10_000).contains(self.partitions) else {
            throw ValidationError("--partitions is from 1 to 10000.")
        }
        guard (1...100).contains(self.minInsyncReplicas ?? 1) else {
            throw ValidationError("--min-insync-replicas is from 1 to 100.")
        }
        guard (1...600).contains(self.wait) else { throw ValidationError("--wait is from 1 to 600 seconds.") }
    }

    /// Returns a client that changes topics.
    func admin() throws -> Admin {
        try Admin(try self.read().kafka.producerProperties().merging(["log_level": "0"]) { $1 })
    }

    private func read() throws -> (topics: [WantedTopic], kafka: KafkaSettings) {
        let reader = SettingsReader(file: try SettingsFile(path: self.config))
        let identity = try Roster.program(self.worker)
        switch identity.name {
        case Roster.pushArrival.name:
            let preflight = PushPreflight(reader, identity)
            try self.check(PreflightCommand.faults(of: reader))
            return (preflight.wanted, preflight.kafka)
        case Roster.intake.name:
            let settings = IntakeSettings(reader)
            try self.check(PreflightCommand.faults(of: reader, own: PreflightCommand.sectionsOfIntake))
            return (WantedTopic.topics(of: settings), settings.kafka)
        default:
            let settings = WorkerSettings(reader, identity)
            let check = PreflightCommand.check(settings, identity)
            try self.check(PreflightCommand.faults(of: reader))
            return (WantedTopic.topics(of: check), settings.kafka)
        }
    }

    private func check(_ faults: [String]) throws {
        guard faults.isEmpty else { throw FaultySettings(faults: faults) }
    }

    /// Asks the cluster for settings of topics.
    func settings(of topics: [String]) throws(KafkaError) -> [String: TopicSettings] {
        do {
            return try self.consumer(try self.read().kafka).settings(of: topics, atMost: .seconds(self.wait))
        } catch let error as KafkaError {
            throw error
        } catch {
            throw KafkaError(code: .invalidConfiguration, message: "\(error)")
        }
    }

    private func consumer(_ kafka: KafkaSettings) throws -> Consumer {
        // The client's own log is turned off: if no broker answers, the error says so.
        try Consumer(kafka.consumerProperties().merging(["log_level": "0"]) { $1 })
    }

    /// Compares the topics of the settings with those of the cluster.
    func comparison() throws -> TopicComparison {
        let (topics, kafka) = try self.read()
        let consumer = try self.consumer(kafka)
        let longest = Duration.seconds(self.wait)
        do throws(KafkaError) {
            let counts = try consumer.metadata(atMost: longest).partitionCounts
            let existing = topics.map(\.name).filter { counts[$0, default: 0] > 0 }
            return TopicComparison(
                topics,
                partitionCounts: counts,
                settings: try consumer.settings(of: existing, atMost: longest),
                defaults: TopicComparison.Defaults(
                    partitions: self.partitions,
                    leastInSync: self.minInsyncReplicas
                )
            )
        } catch {
            throw SilentCluster(brokers: kafka.brokers, error: error)
        }
    }
}

/// Settings that cannot be used.
struct FaultySettings: Error, CustomStringConvertible {
    var faults: [String]

    var description: String { self.faults.joined(separator: "\n") }
}

/// A cluster that has not answered.
struct SilentCluster: Error, CustomStringConvertible {
    var brokers: String
    var error: KafkaError

    var description: String { "kafka.brokers: no answer from \(self.brokers): \(self.error.message)." }
}
