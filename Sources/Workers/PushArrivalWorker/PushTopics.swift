import Kafka
import Operations
import PushStatistics
import ServiceKit
import StreamKit

/// The names of all topics of the worker.
struct PushTopicNames: Hashable, Sendable {
    /// The topic of the events.
    var input: String
    /// The topic that gets a result for every event.
    var result: String
    /// The topic of the records that cannot be read.
    var deadLetter: String
    /// The topics of dead letters with some reasons.
    var routedLetters: [String]
    /// The topic of the state of each input partition.
    var changelog: String
    /// The topic of the parts, which are added up to statistics.
    var parts: String
    /// The topic of the statistics of every message.
    var statistics: String
    /// The topic of the accepted arrivals, used only if forwarding is enabled.
    var forward: String
    /// The number of the changelog's first partitions in which devices are at home; nil if all of them are homes.
    var changelogPartitions: Int?
    /// The number of the first partitions of the parts topic in which messages are added up; nil for all.
    var partsPartitions: Int?

    init(_ reader: SettingsReader, _ kafka: KafkaSettings) {
        self.input = kafka.topic
        self.result = kafka.resultTopic
        self.deadLetter = kafka.deadLetterTopic
        self.routedLetters = kafka.deadLetterRoutes.topics(besides: kafka.deadLetterTopic)
        self.changelog = reader.string(
            "changelog_topic",
            default: "\(kafka.topic).changelog",
            help: "Gets what workers remember; as many partitions as the topic that is consumed."
        )
        self.changelogPartitions = StateSpread.limit(reader)
        self.parts = reader.string(
            "parts_topic",
            default: "\(kafka.topic).parts",
            help: "Gets what each partition knows of a message; compacted."
        )
        self.partsPartitions = StateSpread.limit(reader, of: .parts)
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

/// The check of the cluster's topics, made before the first event is consumed.
struct PushTopics {
    private let names: PushTopicNames
    private let kafka: KafkaSettings
    private let forwards: Bool
    private let messageBytesLimit: Int
    /// The shortest retention of the changelog with which the state is complete after a restart: allowed
    /// lateness, grace, and one day.
    private let leastRetention: Duration

    init(_ settings: PushArrivalSettings) {
        self.kafka = settings.kafka
        self.messageBytesLimit = settings.kafka.messageBytesLimit
        self.leastRetention = settings.rules.allowedLateness + settings.rules.grace + .seconds(86_400)
        self.names = settings.topics
        self.forwards = settings.forwardBatch != nil
    }

    /// The topics that the worker uses, with the name of their role, and their use. An event that comes in elsewhere than
    /// at its home is written to the input once more.
    private var roles: [(role: String, topic: String, use: TopicUse)] {
        [
            ("input", self.names.input, .both), ("result", self.names.result, .written),
            ("dead-letter", self.names.deadLetter, .written),
            ("changelog", self.names.changelog, .both), ("parts", self.names.parts, .both),
            ("statistics", self.names.statistics, .written),
        ] + self.names.routedLetters.map { ("dead-letter", $0, .written) }
            + (self.forwards ? [("forward", self.names.forward, .written)] : [])
    }

    /// Checks that the topics exist, differ from each other, and have fitting settings.
    ///
    /// - Throws: `PreflightFailure`, with a sentence for each fault.
    func check(_ cluster: StreamCluster) throws {
        let missing = self.roles.compactMap { role, topic, _ in
            cluster.partitionCounts[topic, default: 0] > 0
                ? nil
                : "The \(role) topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
        }
        var faults: [String] = []
        for (index, role) in self.roles.enumerated() {
            for other in self.roles[..<index] where other.topic == role.topic {
                faults.append(
                    "The topic '\(role.topic)' cannot be the \(other.role) topic and the \(role.role) topic."
                )
            }
        }
        // Missing topics may have been created a moment ago and appear soon, so that failure may pass. Topics
        // with the same name stay a fault.
        guard faults.isEmpty else { throw PreflightFailure(faults: missing + faults) }
        guard missing.isEmpty else { throw PreflightFailure(faults: missing, mayPass: true) }
        faults += self.partitions(in: cluster).faults
        faults += self.forgetfulness(in: cluster) + self.narrowness(in: cluster)
        guard faults.isEmpty else { throw PreflightFailure(faults: faults) }
    }

    /// The topics whose settings are needed for the check.
    var described: [String] { self.roles.map(\.topic) }

    /// The rights that the worker needs on its cluster.
    var rights: [NeededRight] {
        let statistics = NeededRight.Resource.topic(self.names.statistics)
        return NeededRight.rights(ofStates: self.roles, self.kafka)
            + [NeededRight(.read, statistics, for: "the dashboard", isOptional: true)]
    }

    /// Returns the warning for an input topic with more partitions than devices have homes; nil if it has no more.
    func growth(in cluster: StreamCluster) -> String? { self.partitions(in: cluster).growth }

    private func partitions(in cluster: StreamCluster) -> PushPartitions {
        PushPartitions(
            input: self.names.input,
            changelog: self.names.changelog,
            parts: self.names.parts,
            in: cluster.partitionCounts,
            limits: (self.names.changelogPartitions, self.names.partsPartitions)
        )
    }

    /// Returns the faults of topics that drop records which the worker needs. Results and events must not be
    /// compacted, and the changelog must keep every record as long as its message is counted.
    private func forgetfulness(in cluster: StreamCluster) -> [String] {
        var faults = self.roles.compactMap { role, topic, _ -> String? in
            guard ![self.names.parts, self.names.statistics].contains(topic),
                let policy = cluster.topicSettings[topic]?["cleanup.policy"], policy.contains("compact")
            else { return nil }
            return
                "The \(role) topic '\(topic)' is compacted (cleanup.policy '\(policy)'): a record would take away the "
                + "one before it that has the same key. Set it to 'delete'."
        }
        let least = self.leastRetention.wholeMilliseconds
        if let time = cluster.topicSettings[self.names.changelog]?.number("retention.ms"), time >= 0,
            time < least
        {
            faults.append(
                "The changelog topic '\(self.names.changelog)' forgets (retention.ms \(time)) what is still counted "
                    + "with: after a restart, repeats would count again. Set it to \(least) or more."
            )
        }
        return faults
    }

    /// Returns the faults of topics that accept only small records. A transaction with a record that is too
    /// large for its topic can never be committed, and would be repeated for ever.
    private func narrowness(in cluster: StreamCluster) -> [String] {
        self.roles.compactMap { role, topic, _ in
            guard let largest = cluster.topicSettings[topic]?.number("max.message.bytes"),
                largest < Int64(self.messageBytesLimit)
            else { return nil }
            return "The \(role) topic '\(topic)' takes \(largest) bytes a record (max.message.bytes), and "
                + "kafka.message_limit is \(self.messageBytesLimit): lower kafka.message_limit, or raise that."
        }
    }
}
