/// The rights of each kind of worker.
extension NeededRight {
    /// Returns the rights of a worker that calls an upstream.
    ///
    /// - Parameters:
    ///   - check: The topics of the worker. After `meet`, a parking topic that is not there needs no rights.
    ///   - isTransactional: Whether the worker delivers exactly once.
    package static func rights(
        of check: Preflight,
        _ kafka: KafkaSettings,
        isTransactional: Bool
    ) -> [NeededRight] {
        var rights = [
            NeededRight(.read, .group(kafka.group), for: "its group"),
            NeededRight(.read, .topic(check.inputTopic), for: "input"),
            NeededRight(.write, .topic(check.resultTopic), for: "result"),
        ]
        rights += check.letterTopics.map { NeededRight(.write, .topic($0), for: "dead-letter") }
        for topic in check.retryTiers.map(\.topic) { rights += self.both(topic, "retry") }
        if check.parkedPartitions > 0 { rights += self.both(check.parkedTopic, "parking") }
        rights += check.channelTopics.map { NeededRight(.write, .topic($0), for: "channel") }
        if isTransactional { rights.append(kafka.rightToTransactions(hasThreads: false)) }
        return rights + self.optional(check.describedTopics)
    }

    /// Returns the rights of a worker that keeps states, which always works in transactions.
    ///
    /// - Parameter topics: Its topics, each with its role and its use.
    package static func rights(
        ofStates topics: [(role: String, topic: String, use: TopicUse)],
        _ kafka: KafkaSettings
    ) -> [NeededRight] {
        let used = topics.flatMap { role, topic, use in
            switch use {
            case .read: [NeededRight(.read, .topic(topic), for: role)]
            case .written: [NeededRight(.write, .topic(topic), for: role)]
            case .both: self.both(topic, role)
            }
        }
        return [NeededRight(.read, .group(kafka.group), for: "its group")] + used
            + [kafka.rightToTransactions(hasThreads: true)] + self.optional(topics.map(\.topic))
    }

    /// Returns the rights of a program that fills topics and consumes none.
    ///
    /// - Parameter topics: Its topics, each with its role.
    package static func rights(ofProducerTo topics: [(role: String, topic: String)]) -> [NeededRight] {
        topics.map { NeededRight(.write, .topic($0.topic), for: $0.role) }
            + self.optional(topics.map(\.topic))
    }

    private static func both(_ topic: String, _ purpose: String) -> [NeededRight] {
        [NeededRight(.read, .topic(topic), for: purpose), NeededRight(.write, .topic(topic), for: purpose)]
    }

    private static func optional(_ topics: [String]) -> [NeededRight] {
        topics.map {
            NeededRight(
                .describeConfigs,
                .topic($0),
                for: "checks of retention, size and clock",
                isOptional: true
            )
        }
    }

    /// Returns the rights as a table in Markdown.
    package static func markdown(_ rights: [NeededRight]) -> String {
        let rows = rights.map { right in
            let need = right.isOptional ? "may be missing" : "yes"
            return "| \(right.operation.rawValue) | \(right.resource.cells) | \(right.purpose) | \(need) |"
        }
        return (["| operation | resource | name | for | needed |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }
}

/// The use that a worker makes of a topic.
package enum TopicUse: Sendable { case read, written, both }

extension NeededRight.Resource {
    fileprivate var cells: String {
        switch self {
        case .topic(let name): "topic | `\(name)`"
        case .group(let name): "group | `\(name)`"
        case .transactionalID(let name): "transactional id | `\(name)`"
        case .transactionalIDs(let prefix): "transactional id | `\(prefix)*` (prefixed)"
        }
    }
}
