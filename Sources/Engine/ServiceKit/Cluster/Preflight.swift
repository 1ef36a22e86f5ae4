package import Kafka

/// The conditions that a cluster must meet before a worker consumes its first record.
///
/// Each fault is one sentence that says what is wrong and what would mend it. A worker with a fault does not
/// start: a missing dead-letter topic is found now and not with the first dead letter at three in the
/// morning.
package struct Preflight: Hashable, Sendable {
    /// The topic that is consumed.
    package var inputTopic: String
    /// The topic of the outcomes.
    package var resultTopic: String
    /// The topic of the dead letters.
    package var deadLetterTopic: String
    /// Further topics of dead letters, for some reasons; none by default.
    package var routedLetterTopics: [String] = []
    /// The topic of the parking tickets. The worker can start without it.
    package var parkedTopic: String
    /// The topics to which a handler sends records of its own; empty if there are none.
    package var channelTopics: [String] = []
    /// The topics of programs beside this worker that tell a mistake between the two; none by default.
    package var neighbours: [Neighbour] = []
    /// The retry topics, each with the wait that is spent in it; empty if there are none.
    package var retryTiers: [RetryTier]
    /// How long after its timestamp a record may still be called for.
    package var deadline: Duration
    /// The number of partitions in the cluster, after `meet`; 0 if there is no such topic.
    package var inputPartitions = 0
    /// The number of partitions of the parking topic in the cluster, after `meet`; 0 if there is no such
    /// topic.
    package var parkedPartitions = 0
    /// The largest record that the broker accepts, in bytes (`kafka.message_limit`).
    package var messageBytesLimit: Int
    /// The warnings of the neighbours, after `meet`.
    package private(set) var warningsOfNeighbours: [String] = []

    /// A topic of another program. Whether it exists tells how the two programs were set up.
    package struct Neighbour: Hashable, Sendable {
        /// The name of the topic.
        package var topic: String
        /// Whether the topic has to exist.
        package var isExpected: Bool
        /// The warning if it is otherwise.
        package var warning: String

        package init(topic: String, isExpected: Bool, warning: String) {
            self.topic = topic
            self.isExpected = isExpected
            self.warning = warning
        }
    }

    /// Makes the conditions from their parts.
    package init(
        inputTopic: String,
        resultTopic: String,
        deadLetterTopic: String,
        parkedTopic: String,
        retryTiers: [RetryTier],
        deadline: Duration,
        messageBytesLimit: Int
    ) {
        self.inputTopic = inputTopic
        self.resultTopic = resultTopic
        self.deadLetterTopic = deadLetterTopic
        self.parkedTopic = parkedTopic
        self.retryTiers = retryTiers
        self.deadline = deadline
        self.messageBytesLimit = messageBytesLimit
    }

    /// All topics of dead letters.
    package var letterTopics: [String] { [self.deadLetterTopic] + self.routedLetterTopics }

    /// A fault of a setting under `kafka`.
    package struct NameFault: Hashable, Sendable {
        /// The name of the setting, without the section.
        package var setting: String
        /// The fault in words, without a full stop.
        package var problem: String
    }

    /// The faults that can be seen without a broker.
    package var faultsOfNames: [NameFault] {
        let letters =
            [("dead_letter_topic", self.deadLetterTopic)]
            + self.routedLetterTopics.map { ("dead_letter_routes", $0) }
        let topics =
            [("topic", self.inputTopic), ("result_topic", self.resultTopic)] + letters
            + [("parked_topic", self.parkedTopic)]
        var faults: [NameFault] = []
        for (setting, topic) in topics where !Self.isTopicName(topic) {
            let problem =
                "'\(topic)' is not a topic name; Kafka takes 1 to 249 letters, digits, '.', '_' and '-'"
            faults.append(NameFault(setting: setting, problem: problem))
        }
        for (setting, topic) in topics.dropFirst() where topic == self.inputTopic {
            let problem =
                "'\(topic)' is also the topic that is consumed; the worker would feed on its own output"
            faults.append(NameFault(setting: setting, problem: problem))
        }
        for (setting, topic) in letters where topic == self.resultTopic {
            faults.append(NameFault(setting: setting, problem: "'\(topic)' is also the result topic"))
        }
        for (setting, topic) in letters where self.retryTiers.contains(where: { $0.topic == topic }) {
            faults.append(
                NameFault(setting: setting, problem: "'\(topic)' is also a retry topic, which is consumed")
            )
        }
        if ([self.resultTopic] + self.letterTopics).contains(self.parkedTopic) {
            let problem = "'\(self.parkedTopic)' is also the topic of results or of dead letters"
            faults.append(NameFault(setting: "parked_topic", problem: problem))
        }
        return faults
    }

    /// Notes how many partitions the cluster has.
    package mutating func meet(_ cluster: ClusterMetadata) {
        self.inputPartitions = cluster.partitionCounts[self.inputTopic] ?? 0
        self.parkedPartitions = cluster.partitionCounts[self.parkedTopic] ?? 0
        self.warningsOfNeighbours = self.neighbours.filter { neighbour in
            neighbour.isExpected != (cluster.partitionCounts[neighbour.topic, default: 0] > 0)
        }.map(\.warning)
    }

    /// Returns a sentence for each topic that the cluster does not have, or does not show.
    package func faults(in cluster: ClusterMetadata) -> [String] {
        let roles =
            [("input", self.inputTopic), ("result", self.resultTopic)]
            + self.letterTopics.map { ("dead-letter", $0) } + self.retryTiers.map { ("retry", $0.topic) }
            + self.channelTopics.map { ("channel", $0) }
        let own = [self.inputTopic, self.resultTopic, self.parkedTopic] + self.letterTopics
        let mixed = self.channelTopics.filter(own.contains).map {
            "The channel topic '\($0)' is also a topic of the worker's own; give the channel another."
        }
        let missing: [String] = roles.compactMap { role, topic in
            guard cluster.partitionCounts[topic, default: 0] == 0 else { return nil }
            return
                "The \(role) topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
        }
        return mixed + missing
    }

    /// Returns whether Kafka takes this name for a topic.
    package static func isTopicName(_ name: String) -> Bool {
        (1...249).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// The reason why a worker did not start.
package struct PreflightFailure: Error, CustomStringConvertible {
    /// The faults, a sentence each.
    package var faults: [String]
    /// Whether the fault may pass, because the cluster may still come to have what it lacks, such as a topic
    /// that has just been created. Then it is asked again before the worker gives up.
    package var mayPass: Bool

    package init(faults: [String], mayPass: Bool = false) {
        self.faults = faults
        self.mayPass = mayPass
    }

    package var description: String { self.faults.joined(separator: "\n") }
}
