package import Kafka

/// What must be true of the cluster before a worker consumes its first record.
///
/// Each fault is one sentence that says what is wrong and what would mend it. A worker with a fault does not
/// start: a missing dead-letter topic is found now and not with the first dead letter at three in the morning.
package struct Preflight: Hashable, Sendable {
    package var inputTopic: String
    package var resultTopic: String
    package var deadLetterTopic: String
    package var retryTiers: [RetryTier]

    package init(_ settings: EngineSettings) {
        self.inputTopic = settings.inputTopic
        self.resultTopic = settings.resultTopic
        self.deadLetterTopic = settings.deadLetterTopic
        self.retryTiers = settings.retryTiers
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
            ("dead_letter_topic", self.deadLetterTopic),
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
        return faults
    }

    /// Faults of the cluster as it is.
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

    package init(faults: [String]) { self.faults = faults }

    package var description: String { self.faults.joined(separator: "\n") }
}
