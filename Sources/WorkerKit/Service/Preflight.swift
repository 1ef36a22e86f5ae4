package import Kafka

/// What must be true of the cluster before a worker consumes its first record.
///
/// Each fault is one sentence that says what is wrong and what would mend it. A worker with a fault does not
/// start: a missing dead-letter topic is found now and not with the first dead letter at three in the morning.
package struct Preflight: Hashable, Sendable {
    package var inputTopic: String
    package var resultTopic: String
    package var deadLetterTopic: String
    package var parkedTopic: String
    package var retryTiers: [RetryTier]
    /// How long a record may be called for.
    package var deadline: Duration
    /// As the cluster has them; 0 for a parking topic that is not there.
    package var inputPartitions = 0
    package var parkedPartitions = 0
    /// Of a record, as `kafka.message_limit` has it.
    package var messageBytesLimit: Int

    package init(_ settings: EngineSettings) {
        self.inputTopic = settings.inputTopic
        self.resultTopic = settings.resultTopic
        self.deadLetterTopic = settings.deadLetterTopic
        self.parkedTopic = settings.parkedTopic
        self.retryTiers = settings.retryTiers
        self.deadline = settings.deadline
        self.messageBytesLimit = settings.messageBytesLimit
    }

    /// What is wrong with a setting under `kafka`.
    package struct NameFault: Hashable, Sendable {
        package var setting: String
        package var problem: String
    }

    /// Faults that need no broker to see.
    package var faultsOfNames: [NameFault] {
        let topics = [
            ("topic", self.inputTopic), ("result_topic", self.resultTopic),
            ("dead_letter_topic", self.deadLetterTopic), ("parked_topic", self.parkedTopic),
        ]
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
        if self.resultTopic == self.deadLetterTopic {
            let problem = "'\(self.deadLetterTopic)' is also the result topic"
            faults.append(NameFault(setting: "dead_letter_topic", problem: problem))
        }
        if [self.resultTopic, self.deadLetterTopic].contains(self.parkedTopic) {
            let problem = "'\(self.parkedTopic)' is also the topic of results or of dead letters"
            faults.append(NameFault(setting: "parked_topic", problem: problem))
        }
        return faults
    }

    /// Takes note of what the cluster has.
    package mutating func meet(_ cluster: ClusterMetadata) {
        self.inputPartitions = cluster.partitionCounts[self.inputTopic] ?? 0
        self.parkedPartitions = cluster.partitionCounts[self.parkedTopic] ?? 0
    }

    /// Topics that the cluster does not have, or does not show.
    package func faults(in cluster: ClusterMetadata) -> [String] {
        let roles =
            [("input", self.inputTopic), ("result", self.resultTopic), ("dead-letter", self.deadLetterTopic)]
            + self.retryTiers.map { ("retry", $0.topic) }
        return roles.compactMap { role, topic in
            guard cluster.partitionCounts[topic, default: 0] == 0 else { return nil }
            return
                "The \(role) topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
        }
    }

    private static func isTopicName(_ name: String) -> Bool {
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

/// Why a worker did not start.
package struct PreflightFailure: Error, CustomStringConvertible {
    package var faults: [String]
    /// The cluster may still come to have what it lacks, such as a topic that has just been created: ask it again
    /// before giving up.
    package var mayPass: Bool

    package init(faults: [String], mayPass: Bool = false) {
        self.faults = faults
        self.mayPass = mayPass
    }

    package var description: String { self.faults.joined(separator: "\n") }
}
