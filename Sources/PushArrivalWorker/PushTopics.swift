import Operations
import StreamKit
import WorkerKit

/// The worker's topics besides those that every worker has.
struct PushTopicNames: Hashable, Sendable {
    var input: String
    var result: String
    var deadLetter: String
    var changelog: String
    var parts: String
    var statistics: String
    var forward: String

    init(_ reader: SettingsReader, _ kafka: KafkaSettings) {
        self.input = kafka.topic
        self.result = kafka.resultTopic
        self.deadLetter = kafka.deadLetterTopic
        self.changelog = reader.string(
            "changelog_topic",
            default: "\(kafka.topic).changelog",
            help: "Gets what workers remember; as many partitions as the topic that is consumed."
        )
        self.parts = reader.string(
            "parts_topic",
            default: "\(kafka.topic).parts",
            help: "Gets what each partition knows of a message; compacted."
        )
        self.statistics = reader.string(
            "statistics_topic",
            default: "\(kafka.topic).stats",
            help: "Gets the statistics of every message; compacted."
        )
        self.forward = reader.string(
            "forward_topic",
            default: "\(kafka.topic).forward",
            help: "Gets accepted arrivals for the forwarder, if forward.enabled."
        )
    }
}

/// What must be true of the cluster before the first event.
struct PushTopics {
    private let names: PushTopicNames
    private let forwards: Bool

    init(_ settings: PushArrivalSettings) {
        self.names = settings.topics
        self.forwards = settings.forwardBatch != nil
    }

    private var roles: [(role: String, topic: String)] {
        [
            ("input", self.names.input), ("result", self.names.result),
            ("dead-letter", self.names.deadLetter),
            ("changelog", self.names.changelog), ("parts", self.names.parts),
            ("statistics", self.names.statistics),
        ] + (self.forwards ? [("forward", self.names.forward)] : [])
    }

    /// - Throws: `PreflightFailure`, with a sentence for each fault.
    func check(_ cluster: StreamCluster) throws {
        var faults = self.roles.compactMap { role, topic in
            cluster.partitionCounts[topic, default: 0] > 0
                ? nil
                : "The \(role) topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
        }
        for (index, role) in self.roles.enumerated() {
            for other in self.roles[..<index] where other.topic == role.topic {
                faults.append(
                    "The topic '\(role.topic)' cannot be the \(other.role) topic and the \(role.role) topic."
                )
            }
        }
        let counts = [self.names.input, self.names.changelog].map { cluster.partitionCounts[$0, default: 0] }
        if faults.isEmpty, counts[0] != counts[1] {
            faults.append(
                "The changelog topic '\(self.names.changelog)' has \(counts[1]) partitions and the input topic "
                    + "'\(self.names.input)' has \(counts[0]); they must have the same number. To change it, stop the "
                    + "workers when every message is complete, and make the changelog anew."
            )
        }
        guard faults.isEmpty else { throw PreflightFailure(faults: faults) }
    }
}
