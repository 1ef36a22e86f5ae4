package import Kafka

extension Preflight {
    /// What the settings of the topics mean for the records that are to lie in them.
    package struct Outlook: Hashable, Sendable {
        /// Records would be lost.
        package var faults: [String] = []
        /// Records could be lost, or lose something, if there are many of them or large ones.
        package var warnings: [String] = []
        /// Topics of which the cluster does not tell.
        package var unknown: [String] = []
    }

    /// The topics whose settings matter.
    package var describedTopics: [String] {
        [self.inputTopic, self.deadLetterTopic] + self.retryTiers.map(\.topic)
    }

    package func outlook(_ settings: [String: TopicSettings]) -> Outlook {
        var outlook = Outlook()
        outlook.unknown = self.describedTopics.filter { settings[$0] == nil }
        let largestInput = settings[self.inputTopic]?.number("max.message.bytes")
        if let topic = settings[self.deadLetterTopic] {
            outlook.addCompaction("dead-letter", self.deadLetterTopic, topic)
            outlook.addSize(
                "dead-letter",
                self.deadLetterTopic,
                topic,
                largestInput,
                "a larger record's dead letter says where it lies and does not carry it"
            )
        }
        for tier in self.retryTiers {
            guard let topic = settings[tier.topic] else { continue }
            outlook.addCompaction("retry", tier.topic, topic)
            outlook.addSize("retry", tier.topic, topic, largestInput, "a larger record waits in hand instead")
            outlook.addRetention(of: tier, topic)
        }
        return outlook
    }
}

extension Preflight.Outlook {
    /// Compaction keeps one record for each key, and all that lie in these topics are needed.
    fileprivate mutating func addCompaction(_ role: String, _ name: String, _ settings: TopicSettings) {
        guard let policy = settings["cleanup.policy"], policy.contains("compact") else { return }
        self.faults.append(
            "The \(role) topic '\(name)' is compacted (cleanup.policy '\(policy)'): a record would take away "
                + "the one before it that has the same key. Set it to 'delete'."
        )
    }

    fileprivate mutating func addSize(
        _ role: String,
        _ name: String,
        _ settings: TopicSettings,
        _ largestInput: Int64?,
        _ consequence: String
    ) {
        guard let largestInput, let largest = settings.number("max.message.bytes"), largest < largestInput
        else { return }
        self.warnings.append(
            "The \(role) topic '\(name)' takes \(largest) bytes a record (max.message.bytes) and the input "
                + "topic \(largestInput): \(consequence)."
        )
    }

    /// A record is read when it is due, and later if the worker is behind or down: it has to lie there for twice as
    /// long as it is to wait, and for no less than an hour more.
    fileprivate mutating func addRetention(of tier: RetryTier, _ settings: TopicSettings) {
        let least = tier.delay.wholeMilliseconds.addingClamped(
            max(tier.delay, .seconds(3_600)).wholeMilliseconds
        )
        if let time = settings.number("retention.ms"), time >= 0, time < least {
            self.faults.append(
                "The retry topic '\(tier.topic)' keeps a record for \(time) ms (retention.ms), and one may lie "
                    + "there for \(least) ms before it is called for. Set it to \(least) or more."
            )
        }
        if let bytes = settings.number("retention.bytes"), bytes >= 0 {
            self.warnings.append(
                "The retry topic '\(tier.topic)' keeps \(bytes) bytes a partition (retention.bytes): when more "
                    + "wait there, the oldest are deleted, called for or not. Set it to -1."
            )
        }
    }
}
