package import Kafka

/// The position of a record in the cluster, mostly of a dead letter: `topic/partition/offset`.
package struct LetterPosition: Hashable, Sendable, CustomStringConvertible {
    /// The name of the topic.
    package var topic: String
    /// The number of the partition.
    package var partition: Int32
    /// The offset in the partition.
    package var offset: Int64

    /// Creates a position and checks nothing: the topic need not exist.
    package init(topic: String, partition: Int32, offset: Int64) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }

    /// Reads `topic/partition/offset`; nil for any other text. The name of a topic holds no slash.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let partition = Int32(parts[1]), partition >= 0,
            let offset = Int64(parts[2]), offset >= 0
        else { return nil }
        self.init(topic: String(parts[0]), partition: partition, offset: offset)
    }

    /// The position as `topic/partition/offset`, which `init(_:)` reads.
    package var description: String { "\(self.topic)/\(self.partition)/\(self.offset)" }

    /// The topic and the partition without the offset.
    package var topicPartition: TopicPartition {
        TopicPartition(topic: self.topic, partition: self.partition)
    }
}

extension LetterPosition: Comparable {
    /// Orders positions by topic, then partition, then offset.
    package static func < (left: Self, right: Self) -> Bool {
        (left.topic, left.partition, left.offset) < (right.topic, right.partition, right.offset)
    }
}
