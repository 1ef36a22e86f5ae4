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

    /// A setting of a topic.
    struct Setting: Hashable, Sendable {
        /// Kafka's name of it.
        var name: String
        var value: Value

        init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The use that the worker makes of the topic, in a word.
    var role: String
    var name: String
    var partitions: Partitions
    /// The settings, in the order in which they are shown.
    var settings: [Setting]
    /// Whether publishers fill the topic. Such a topic is created, and not changed.
    var isInput = false
    /// Whether the largest record of such a topic may be raised all the same, because the program itself fills it.
    var mayBeRaised = false
}

extension WantedTopic.Setting {
    /// The brokers put their time on the records, so that a worker that starts can compare its clock with theirs.
    static let brokersTime = Self("message.timestamp.type", .exactly("LogAppendTime"))
}

extension WantedTopic {
    /// Returns the topic with what the operator wishes for every topic.
    func with(_ defaults: TopicComparison.Defaults) -> WantedTopic {
        var topic = self
        if let least = defaults.leastInSync {
            topic.settings.append(Setting("min.insync.replicas", .atLeast(Int64(least))))
        }
        guard let least = defaults.leastRetention?.wholeMilliseconds else { return topic }
        let place = topic.settings.firstIndex { $0.name == "retention.ms" }
        switch place.map({ topic.settings[$0].value }) {
        case .atLeast(let number), .atLeastWhereDeleted(let number):
            if number < least, let place { topic.settings[place].value = .atLeastWhereDeleted(least) }
        case nil: topic.settings.append(Setting("retention.ms", .atLeastWhereDeleted(least)))
        case .exactly, .including: break
        }
        return topic
    }

    /// Returns the topics of a worker that calls an upstream.
    static func topics(of check: Preflight) -> [WantedTopic] {
        let size = Setting("max.message.bytes", .atLeast(Int64(check.messageBytesLimit)))
        let lasting = [Setting("cleanup.policy", .exactly("delete")), size]
        let retries = check.retryTiers.map { tier in
            let limits = [
                Setting("retention.ms", .atLeast(tier.leastRetention.wholeMilliseconds)),
                Setting("retention.bytes", .exactly("-1")),
            ]
            return WantedTopic(role: "retry", name: tier.topic, partitions: .any, settings: lasting + limits)
        }
        let input = WantedTopic(
            role: "input",
            name: check.inputTopic,
            partitions: .any,
            settings: [Setting("cleanup.policy", .exactly("delete"))],
            isInput: true
        )
        let result = WantedTopic(role: "result", name: check.resultTopic, partitions: .any, settings: lasting)
        let letters = check.letterTopics.map {
            WantedTopic(role: "dead-letter", name: $0, partitions: .any, settings: lasting)
        }
        let parking = WantedTopic(
            role: "parking",
            name: check.parkedTopic,
            partitions: .noFewer(than: check.inputTopic),
            settings: [
                Setting("cleanup.policy", .exactly("compact")),
                .brokersTime,
            ]
        )
        let channels = check.channelTopics.map {
            WantedTopic(role: "channel", name: $0, partitions: .any, settings: [size])
        }
        return [input, result] + letters + [parking] + retries + channels
    }
}
