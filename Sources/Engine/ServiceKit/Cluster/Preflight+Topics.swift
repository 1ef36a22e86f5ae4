package import Kafka

extension Preflight {
    /// The consequences of the topics' settings for the records that are to lie in the topics.
    package struct Outlook: Hashable, Sendable {
        /// Settings with which records would be lost.
        package var faults: [String] = []
        /// Settings with which records could be lost, or lose something, if there are many of them or large
        /// ones.
        package var warnings: [String] = []
        /// Changes that would help, and harm nothing.
        package var notes: [String] = []
        /// The topics whose settings the cluster does not tell.
        package var unknown: [String] = []

        package init() {}
    }

    /// The topics whose settings matter.
    package var describedTopics: [String] {
        [self.inputTopic, self.resultTopic] + self.letterTopics + self.retryTiers.map(\.topic)
            + self.channelTopics + (self.parkedPartitions > 0 ? [self.parkedTopic] : [])
    }

    /// Judges the settings of the topics. A topic that is missing in `settings` is listed as unknown.
    package func outlook(_ settings: [String: TopicSettings]) -> Outlook {
        var outlook = Outlook()
        outlook.unknown = self.describedTopics.filter { settings[$0] == nil }
        outlook.warnings = self.warningsOfNeighbours
        let largestInput = settings[self.inputTopic]?.number("max.message.bytes")
        if let topic = settings[self.resultTopic] {
            outlook.addCompaction("result", self.resultTopic, settings: topic)
            if let largest = topic.number("max.message.bytes"), largest < self.messageBytesLimit {
                outlook.warnings.append(
                    "The result topic '\(self.resultTopic)' takes \(largest) bytes a record (max.message.bytes), "
                        + "and kafka.message_limit is \(self.messageBytesLimit): the cluster refuses an outcome "
                        + "between the two. Raise the one or lower the other."
                )
            }
        }
        for name in self.letterTopics {
            guard let topic = settings[name] else { continue }
            outlook.addCompaction("dead-letter", name, settings: topic)
            outlook.addSize(
                "dead-letter",
                name,
                settings: topic,
                largestInput: largestInput,
                consequence: "a larger record's dead letter says where it lies and does not carry it"
            )
        }
        for tier in self.retryTiers {
            guard let topic = settings[tier.topic] else { continue }
            outlook.addCompaction("retry", tier.topic, settings: topic)
            outlook.addSize(
                "retry",
                tier.topic,
                settings: topic,
                largestInput: largestInput,
                consequence: "a larger record waits in hand instead"
            )
            outlook.addRetention(of: tier, topic)
        }
        self.lookAtParking(settings, &outlook)
        return outlook
    }

    private func lookAtParking(_ settings: [String: TopicSettings], _ outlook: inout Outlook) {
        guard self.parkedPartitions > 0 else {
            return outlook.notes.append(
                "There is no topic '\(self.parkedTopic)': what waits stays in hand, and an outage of one destination can "
                    + "stop the others. Create it with \(max(1, self.inputPartitions)) partitions and cleanup.policy "
                    + "'compact'."
            )
        }
        if self.parkedPartitions < self.inputPartitions {
            outlook.warnings.append(
                "The parking topic '\(self.parkedTopic)' has \(self.parkedPartitions) partitions and the input "
                    + "\(self.inputPartitions): records of the others stay in hand. Give it as many."
            )
        }
        if let policy = settings[self.parkedTopic]?["cleanup.policy"], policy != "compact" {
            outlook.faults.append(
                "The parking topic '\(self.parkedTopic)' has cleanup.policy '\(policy)': tickets would be deleted, and "
                    + "what they stand for would never be called for. Set it to 'compact'."
            )
        }
        let harm = "expires records too early"
        if let note = settings[self.parkedTopic]?.noteOfClock(of: self.parkedTopic, as: "parking", harm: harm)
        {
            outlook.notes.append(note)
        }
        guard let input = settings[self.inputTopic] else { return }
        if let policy = input["cleanup.policy"], policy.contains("compact") {
            outlook.warnings.append(
                "The input topic '\(self.inputTopic)' is compacted (cleanup.policy '\(policy)'): a record that is put "
                    + "aside is gone when its key has a newer one. Set it to 'delete', or delete '\(self.parkedTopic)'."
            )
        }
        if let time = input.number("retention.ms"), time >= 0, time < self.deadline.wholeMilliseconds {
            outlook.warnings.append(
                "The input topic '\(self.inputTopic)' keeps a record for \(time) ms (retention.ms), and worker.deadline "
                    + "is \(self.deadline.wholeMilliseconds) ms: what is put aside for longer becomes a dead letter "
                    + "without its value. Raise the one or lower the other."
            )
        }
    }
}

extension Preflight.Outlook {
    /// Reports a topic that is compacted. Compaction keeps one record for each key, and these topics need all
    /// their records.
    fileprivate mutating func addCompaction(_ role: String, _ name: String, settings: TopicSettings) {
        guard let policy = settings["cleanup.policy"], policy.contains("compact") else { return }
        self.faults.append(
            "The \(role) topic '\(name)' is compacted (cleanup.policy '\(policy)'): a record would take away "
                + "the one before it that has the same key. Set it to 'delete'."
        )
    }

    fileprivate mutating func addSize(
        _ role: String,
        _ name: String,
        settings: TopicSettings,
        largestInput: Int64?,
        consequence: String
    ) {
        guard let largestInput, let largest = settings.number("max.message.bytes"), largest < largestInput
        else { return }
        self.warnings.append(
            "The \(role) topic '\(name)' takes \(largest) bytes a record (max.message.bytes) and the input "
                + "topic \(largestInput): \(consequence)."
        )
    }

    /// Reports a retention that is too short or bounded in bytes.
    fileprivate mutating func addRetention(of tier: RetryTier, _ settings: TopicSettings) {
        let least = tier.leastRetention.wholeMilliseconds
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
