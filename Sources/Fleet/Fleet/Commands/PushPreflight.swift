import Kafka
import Operations
import PushStatistics
import ServiceKit
import StreamKit

/// The requirements of a push-arrival worker on its cluster.
///
/// The worker keeps its state in Kafka. A topic that deletes records too early, or keeps too few, changes its
/// numbers long after the worker has started.
struct PushPreflight {
    let kafka: KafkaSettings
    /// The salt of the marks in the worker's log.
    let logSalt: Secret?
    private let changelog: String
    private let changelogPartitions: Int?
    private let partsPartitions: Int?
    private let partitioner: Partitioner
    private let parts: String
    private let statistics: String
    private let forward: String
    private let forwards: Bool
    /// The shortest retention of the changelog, from which the worker restores its state.
    private let leastRetention: Duration

    /// The retention that the parts topic needs after the last change: as long as the worker remembers a
    /// complete message.
    private static let retentionOfParts = Duration.seconds(60 * 86_400)

    /// Reads the settings that determine the topics. The worker itself reads all settings.
    init(_ reader: SettingsReader, _ identity: WorkerIdentity) {
        let section = reader.section("kafka")
        let kafka = KafkaSettings(section, identity)
        func topic(_ setting: String, _ end: String) -> String {
            section.string(setting, default: "\(kafka.topic).\(end)", help: "A topic of the worker.")
        }
        self.kafka = kafka
        self.changelog = topic("changelog_topic", "changelog")
        self.changelogPartitions = StateSpread.limit(section)
        self.partsPartitions = StateSpread.limit(section, of: .parts)
        self.parts = topic("parts_topic", "parts")
        self.statistics = topic("statistics_topic", "stats")
        self.forward = topic("forward_topic", "forward")
        self.partitioner = section.oneOf(
            "partitioner",
            default: Partitioner.murmur2,
            help: "How publishers choose partitions."
        )
        self.logSalt = OperationSettings(reader).logSalt
        let forwarding = reader.section("forward")
        self.forwards = forwarding.bool("enabled", default: false, help: "Whether arrivals are forwarded.")
        let push = reader.section("push")
        let lateness = push.duration(
            "allowed_lateness",
            default: .seconds(72 * 3_600),
            in: .seconds(60) ... .seconds(30 * 86_400),
            help: "How long an event counts."
        )
        let grace = push.duration(
            "grace",
            default: .seconds(3_600),
            in: .zero ... .seconds(7 * 86_400),
            help: "How long devices are remembered after that."
        )
        self.leastRetention = lateness + grace + .seconds(86_400)
    }

    private var roles: [(role: String, topic: String, use: TopicUse)] {
        [
            ("input", self.kafka.topic, .both), ("result", self.kafka.resultTopic, .written),
            ("dead-letter", self.kafka.deadLetterTopic, .written), ("changelog", self.changelog, .both),
            ("parts", self.parts, .both), ("statistics", self.statistics, .written),
        ]
            + self.kafka.deadLetterRoutes.topics(besides: self.kafka.deadLetterTopic)
            .map { ("dead-letter", $0, .written) }
            + (self.forwards ? [("forward", self.forward, .written)] : [])
    }

    /// The rights that the worker needs on its cluster.
    var rights: [NeededRight] {
        let statistics = NeededRight.Resource.topic(self.statistics)
        return NeededRight.rights(ofStates: self.roles, self.kafka)
            + [NeededRight(.read, statistics, for: "the dashboard", isOptional: true)]
    }

    /// All topics that the worker uses.
    var topics: [String] { self.roles.map(\.topic) }

    /// The problems of the cluster's topics as sentences; empty if the worker can start.
    func faults(in cluster: ClusterMetadata) -> [String] {
        let missing = self.roles.filter { cluster.partitionCounts[$0.topic, default: 0] == 0 }
        guard missing.isEmpty else {
            return missing.map { role, topic, _ in
                "The \(role) topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
            }
        }
        return self.partitions(in: cluster).faults
    }

    /// Returns the warning for an input with more partitions than devices have homes; nil if it has no more.
    func growth(in cluster: ClusterMetadata) -> String? { self.partitions(in: cluster).growth }

    private func partitions(in cluster: ClusterMetadata) -> PushPartitions {
        PushPartitions(
            input: self.kafka.topic,
            changelog: self.changelog,
            parts: self.parts,
            in: cluster.partitionCounts,
            limits: (self.changelogPartitions, self.partsPartitions)
        )
    }

    /// Returns the spreads of the devices over the changelog, and of the messages over the parts topic.
    func spreads(in cluster: ClusterMetadata) -> [StateSpread] {
        [
            StateSpread(
                of: self.changelog,
                partitions: cluster.partitionCounts[self.changelog] ?? 1,
                limit: self.changelogPartitions,
                by: self.partitioner
            ),
            StateSpread(
                of: self.parts,
                as: .parts,
                partitions: cluster.partitionCounts[self.parts] ?? 1,
                limit: self.partsPartitions
            ),
        ]
    }

    /// The topics, and how they have to be.
    var wanted: [WantedTopic] {
        self.roles.map { role, topic, _ in
            let isInput = topic == self.kafka.topic
            let policy: WantedTopic.Value =
                switch topic {
                case self.parts: .including("compact", of: "compact,delete")
                case self.statistics: .including("compact", of: "compact")
                default: .exactly("delete")
                }
            var settings: [WantedTopic.Setting] = [
                WantedTopic.Setting("cleanup.policy", policy),
                WantedTopic.Setting("max.message.bytes", .atLeast(Int64(self.kafka.messageBytesLimit))),
            ]
            let retentions = [self.changelog: self.leastRetention, self.parts: Self.retentionOfParts]
            if let least = retentions[topic] {
                settings.append(
                    WantedTopic.Setting("retention.ms", .atLeastWhereDeleted(least.wholeMilliseconds))
                )
            }
            if topic == self.changelog { settings.append(.brokersTime) }
            return WantedTopic(
                role: role,
                name: topic,
                partitions: topic == self.changelog ? .once(like: self.kafka.topic) : .any,
                settings: settings,
                isInput: isInput
            )
        }
    }

    // MARK: - Topics that forget

    /// Checks the topics' settings: compaction, largest record and retention.
    func outlook(_ settings: [String: TopicSettings]) -> PreflightCommand.Outlook {
        var outlook = PreflightCommand.Outlook()
        outlook.unknown = self.topics.filter { settings[$0] == nil }
        for (role, topic, _) in self.roles {
            guard let policy = settings[topic]?["cleanup.policy"] else { continue }
            let isCompacted = policy.contains("compact")
            let isMeantTo = [self.parts, self.statistics].contains(topic)
            if isCompacted, !isMeantTo {
                outlook.faults.append(
                    "The \(role) topic '\(topic)' is compacted (cleanup.policy '\(policy)'): a record would take "
                        + "away the one before it that has the same key. Set it to 'delete'."
                )
            } else if isMeantTo, !isCompacted {
                outlook.warnings.append(
                    "The \(role) topic '\(topic)' is not compacted (cleanup.policy '\(policy)'): what is older than "
                        + "its retention is missing in it. Set it to 'compact'."
                )
            }
        }
        for (role, topic, _) in self.roles {
            guard let largest = settings[topic]?.number("max.message.bytes"),
                largest < self.kafka.messageBytesLimit
            else { continue }
            outlook.faults.append(
                "The \(role) topic '\(topic)' takes \(largest) bytes a record (max.message.bytes), and "
                    + "kafka.message_limit is \(self.kafka.messageBytesLimit): lower kafka.message_limit, or raise that."
            )
        }
        if let least = Self.short(settings[self.changelog], self.leastRetention) {
            outlook.faults.append(
                "The changelog topic '\(self.changelog)' forgets (retention.ms) what is still counted with: after a "
                    + "restart, repeats would count again. Set it to \(least) or more."
            )
        }
        if let note = settings[self.changelog]?.noteOfClock(ofChangelog: self.changelog) {
            outlook.notes.append(note)
        }
        let policy = settings[self.parts]?["cleanup.policy"] ?? ""
        if policy.contains("compact"), policy.contains("delete"),
            let least = Self.short(settings[self.parts], Self.retentionOfParts)
        {
            outlook.warnings.append(
                "The parts topic '\(self.parts)' deletes (retention.ms) what the worker remembers of a message: an "
                    + "event that is very late would make its statistics anew. Set it to \(least) or more."
            )
        }
        return outlook
    }

    /// The retention in milliseconds that the topic needs, if its own is shorter; otherwise nil.
    private static func short(_ settings: TopicSettings?, _ least: Duration) -> Int64? {
        let milliseconds = least.wholeMilliseconds
        guard let time = settings?.number("retention.ms"), time >= 0, time < milliseconds else { return nil }
        return milliseconds
    }
}
