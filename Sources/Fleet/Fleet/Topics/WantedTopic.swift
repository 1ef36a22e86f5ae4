import ServiceKit

/// A topic that a worker uses, and how it has to be.
struct WantedTopic: Hashable, Sendable {
    /// The number of partitions that a topic has to have.
    enum Partitions: Hashable, Sendable {
        /// Any number. A topic that is created gets as many as the worker's input.
        case any
        /// As many as another topic, or more.
        case noFewer(than: String)
        /// As many as another topic when it is created. It is not changed later: what lies in it belongs to its
        /// partitions.
        case once(like: String)
        /// As many as another topic, neither more nor fewer.
        case same(as: String)
    }

    /// The value that a setting has to have.
    enum Value: Hashable, Sendable {
        case exactly(String)
        /// A list with this member. A topic that is created, or whose list lacks it, gets the whole list.
        case including(String, of: String)
        /// This number or a larger one. The number −1 stands for no limit where Kafka takes it so.
        case atLeast(Int64)
        /// As `atLeast`, where the topic's `cleanup.policy` deletes records by their age.
        case atLeastWhereDeleted(Int64)
    }

    /// The use that the worker makes of the topic, in a word.
    var role: String
    var name: String
    var partitions: Partitions
    /// The settings by Kafka's names, in the order in which they are shown.
    var settings: [(name: String, value: Value)]
    /// Whether publishers fill the topic. Such a topic is created, and is never changed.
    var isInput = false

    static func == (left: WantedTopic, right: WantedTopic) -> Bool {
        left.role == right.role && left.name == right.name && left.partitions == right.partitions
            && left.isInput == right.isInput && left.settings.elementsEqual(right.settings) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.name) }
}

extension WantedTopic {
    /// Returns the topics of a worker that calls an upstream.
    static func topics(of check: Preflight) -> [WantedTopic] {
        let size = (name: "max.message.bytes", value: Value.atLeast(Int64(check.messageBytesLimit)))
        let lasting = [(name: "cleanup.policy", value: Value.exactly("delete")), size]
        let retries = check.retryTiers.map { tier in
            let limits = [
                (name: "retention.ms", value: Value.atLeast(tier.leastRetention.wholeMilliseconds)),
                (name: "retention.bytes", value: Value.exactly("-1")),
            ]
            return WantedTopic(role: "retry", name: tier.topic, partitions: .any, settings: lasting + limits)
        }
        return [
            WantedTopic(
                role: "input",
                name: check.inputTopic,
                partitions: .any,
                settings: [("cleanup.policy", .exactly("delete"))],
                isInput: true
            ),
            WantedTopic(role: "result", name: check.resultTopic, partitions: .any, settings: lasting),
            WantedTopic(
                role: "dead-letter",
                name: check.deadLetterTopic,
                partitions: .any,
                settings: lasting
            ),
            WantedTopic(
                role: "parking",
                name: check.parkedTopic,
                partitions: .noFewer(than: check.inputTopic),
                settings: [("cleanup.policy", .exactly("compact"))]
            ),
        ] + retries
            + check.channelTopics.map {
                WantedTopic(role: "channel", name: $0, partitions: .any, settings: [size])
            }
    }
}
