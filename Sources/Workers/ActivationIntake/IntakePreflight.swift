package import Kafka
import Logging
import Operations
package import ServiceKit
import StreamKit

/// The requirements of the intake on its cluster.
///
/// Each fault is a sentence about what is wrong, and the command of Kafka's own tools that mends it.
package struct IntakePreflight {
    let settings: IntakeSettings

    package init(_ settings: IntakeSettings) { self.settings = settings }

    var topics: IntakeTopics { self.settings.topics }
    private var roles: [(role: String, topic: String, use: TopicUse)] { self.topics.roles(of: self.settings) }

    /// The topics whose settings matter: all that the intake uses.
    package var describedTopics: [String] { self.roles.map(\.topic) }

    /// The rights that the intake needs on its cluster.
    package var rights: [NeededRight] { NeededRight.rights(ofStates: self.roles, self.settings.kafka) }

    // MARK: - Topics and partitions

    /// Returns the faults of names, which stay.
    package var faultsOfNames: [String] {
        self.roles.indices.flatMap { index in
            self.roles[..<index].filter { $0.topic == self.roles[index].topic }.map { other in
                "The topic '\(other.topic)' cannot be the \(other.role) topic and the \(self.roles[index].role) topic."
            }
        }
    }

    /// Returns the faults of topics that are missing, which may pass, and else of partitions.
    package func faults(in partitionCounts: [String: Int]) -> (faults: [String], mayPass: Bool) {
        guard self.faultsOfNames.isEmpty else { return (self.faultsOfNames, false) }
        let missing = self.roles.filter { partitionCounts[$0.topic, default: 0] == 0 }
        guard missing.isEmpty else {
            return (missing.map { self.missing($0.role, $0.topic, in: partitionCounts) }, true)
        }
        return (self.faultsOfPartitions(in: partitionCounts), false)
    }

    private func missing(_ role: String, _ topic: String, in counts: [String: Int]) -> String {
        let pair = [self.topics.home, self.topics.changelog]
        // The two have the same number, so the one that is there tells it to the other.
        let like = pair.contains(topic) ? pair.compactMap { counts[$0] }.max() : nil
        let count = like ?? counts[self.topics.activations] ?? Self.usualPartitions
        let settings =
            topic == self.topics.changelog
            ? "cleanup.policy=compact --config message.timestamp.type=LogAppendTime" : "cleanup.policy=delete"
        return
            "The \(role) topic '\(topic)' does not exist, or this client may not see it; allow it, or create it: "
            + self.topicsCommand("create", topic, partitions: count) + " --config \(settings)"
    }

    private static let usualPartitions = 4

    /// The home of a device follows from the number of partitions, so both topics have the same number.
    private func faultsOfPartitions(in counts: [String: Int]) -> [String] {
        let home = (topic: self.topics.home, count: counts[self.topics.home, default: 0])
        let changelog = (topic: self.topics.changelog, count: counts[self.topics.changelog, default: 0])
        if let limit = self.topics.changelogPartitions, limit > min(home.count, changelog.count) {
            return [
                "kafka.changelog_partitions is \(limit), and the home topic '\(home.topic)' has \(home.count) partitions, "
                    + "its changelog '\(changelog.topic)' \(changelog.count): set it to the number with which the state "
                    + "was written."
            ]
        }
        guard home.count != changelog.count else { return [] }
        let (small, large) = home.count < changelog.count ? (home, changelog) : (changelog, home)
        return [
            "The home topic '\(home.topic)' has \(home.count) partitions and its changelog '\(changelog.topic)' "
                + "\(changelog.count): both need the same number. Set kafka.changelog_partitions to the number that the "
                + "changelog had before, so that devices stay where they are remembered, and then: "
                + self.topicsCommand("alter", small.topic, partitions: large.count)
        ]
    }

    private func topicsCommand(_ verb: String, _ topic: String, partitions: Int) -> String {
        "kafka-topics.sh --bootstrap-server \(self.settings.kafka.brokers) --\(verb) --topic \(topic) "
            + "--partitions \(partitions)"
    }

    // MARK: - Settings of topics

    /// Judges the settings of the topics. A topic that is missing in `settings` is listed as unknown.
    package func outlook(_ settings: [String: TopicSettings]) -> Preflight.Outlook {
        var outlook = Preflight.Outlook()
        outlook.unknown = self.describedTopics.filter { settings[$0] == nil }
        for (role, topic, _) in self.roles {
            guard let topicSettings = settings[topic] else { continue }
            self.lookAtCompaction(of: topic, role: role, settings: topicSettings, in: &outlook)
            self.lookAtSize(of: topic, role: role, settings: topicSettings, in: &outlook)
            self.lookAtTimes(of: topic, role: role, settings: topicSettings, in: &outlook)
            self.lookAtTimeLimits(of: topic, role: role, settings: topicSettings, of: settings, in: &outlook)
        }
        if let changelog = settings[self.topics.changelog] { self.lookAtMemory(changelog, &outlook) }
        return outlook
    }

    /// The topics that may be compacted: the changelog has to be, and an event has a key of its own.
    private var compactable: [String?] { [self.topics.changelog, self.topics.events] }

    private func lookAtCompaction(
        of topic: String,
        role: String,
        settings: TopicSettings,
        in outlook: inout Preflight.Outlook
    ) {
        guard let policy = settings["cleanup.policy"], policy.contains("compact"),
            !self.compactable.contains(topic)
        else { return }
        let sentence =
            "The \(role) topic '\(topic)' is compacted (cleanup.policy '\(policy)'): a record would take away the "
            + "one before it that has the same key. Set it to 'delete': "
            + self.configCommand(topic, "cleanup.policy=delete")
        // The input is the publishers' own, and may have been read before it is compacted.
        let isInput = [self.topics.activations, self.topics.uploads, self.topics.clicks].contains(topic)
        if isInput { outlook.warnings.append(sentence) } else { outlook.faults.append(sentence) }
    }

    /// A transaction with a record that its topic refuses would fail again and again.
    private func lookAtSize(
        of topic: String,
        role: String,
        settings: TopicSettings,
        in outlook: inout Preflight.Outlook
    ) {
        let limit = self.settings.kafka.messageBytesLimit
        guard let largest = settings.number("max.message.bytes"), largest < limit,
            ![self.topics.activations, self.topics.uploads, self.topics.clicks].contains(topic)
        else { return }
        outlook.faults.append(
            "The \(role) topic '\(topic)' takes \(largest) bytes a record (max.message.bytes), and "
                + "kafka.message_limit is \(limit): lower kafka.message_limit, or raise that: "
                + self.configCommand(topic, "max.message.bytes=\(limit)")
        )
    }

    private func lookAtMemory(_ changelog: TopicSettings, _ outlook: inout Preflight.Outlook) {
        let topic = self.topics.changelog
        if let note = changelog.noteOfClock(ofChangelog: topic) { outlook.notes.append(note) }
        let least = self.settings.longestWindow.wholeMilliseconds
        guard let policy = changelog["cleanup.policy"] else { return }
        if policy.contains("delete"), let time = changelog.number("retention.ms"), time >= 0, time < least {
            outlook.faults.append(
                "The changelog topic '\(topic)' forgets (retention.ms \(time)) what is still looked up: after a "
                    + "restart, a repeat would be reported again. Set cleanup.policy to 'compact', or retention.ms to "
                    + "\(least) or more: " + self.configCommand(topic, "cleanup.policy=compact")
            )
        } else if !policy.contains("compact") {
            outlook.warnings.append(
                "The changelog topic '\(topic)' is not compacted (cleanup.policy '\(policy)'): it grows, and a restart "
                    + "reads all of it: " + self.configCommand(topic, "cleanup.policy=compact")
            )
        }
    }

    func configCommand(_ topic: String, _ setting: String) -> String {
        "kafka-configs.sh --bootstrap-server \(self.settings.kafka.brokers) --alter --topic \(topic) "
            + "--add-config \(setting)"
    }
}

// MARK: - The start

extension IntakePreflight {
    /// Checks the cluster before the first record, and logs what is no fault but needs attention.
    ///
    /// - Throws: `PreflightFailure` with a sentence for each fault.
    func check(_ cluster: StreamCluster, _ logger: Logger) throws {
        let (faults, mayPass) = self.faults(in: cluster.partitionCounts)
        // Missing topics may have been created a moment ago and appear soon. All other faults stay.
        guard faults.isEmpty else { throw PreflightFailure(faults: faults, mayPass: mayPass) }
        let outlook = self.outlook(cluster.topicSettings)
        guard outlook.faults.isEmpty else { throw PreflightFailure(faults: outlook.faults) }
        for warning in outlook.warnings { logger.warning("\(warning)") }
    }
}
