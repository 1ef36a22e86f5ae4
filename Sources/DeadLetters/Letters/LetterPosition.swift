package import Kafka

/// Where a dead letter lies: `topic/partition/offset`.
package struct LetterPosition: Hashable, Sendable, CustomStringConvertible {
    package var topic: String
    package var partition: Int32
    package var offset: Int64

    package init(topic: String, partition: Int32, offset: Int64) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }

    /// From its text. A topic's name has no slash in it.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let partition = Int32(parts[1]), partition >= 0,
            let offset = Int64(parts[2]), offset >= 0
        else { return nil }
        self.init(topic: String(parts[0]), partition: partition, offset: offset)
    }

    package var description: String { "\(self.topic)/\(self.partition)/\(self.offset)" }

    package var topicPartition: TopicPartition {
        TopicPartition(topic: self.topic, partition: self.partition)
    }
}

extension LetterPosition: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.topic, left.partition, left.offset) < (right.topic, right.partition, right.offset)
    }
}
