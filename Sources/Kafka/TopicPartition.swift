/// One partition of a topic.
package struct TopicPartition: Hashable, Sendable {
    package var topic: String
    package var partition: Int32

    package init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }
}

extension TopicPartition: CustomStringConvertible {
    package var description: String { "\(self.topic)[\(self.partition)]" }
}

extension TopicPartition: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.topic, left.partition) < (right.topic, right.partition)
    }
}

/// How far a group has come in one partition, as the broker stores it.
package struct CommittedPosition: Hashable, Sendable {
    package var partition: TopicPartition
    /// The first offset that is not done; nil where the group has never committed.
    package var offset: Int64?
    /// At most 4,096 bytes, the broker's default limit. Printable ASCII: librdkafka before 2.6.1 reads other
    /// bytes back wrong.
    package var metadata: String

    package init(partition: TopicPartition, offset: Int64?, metadata: String = "") {
        self.partition = partition
        self.offset = offset
        self.metadata = metadata
    }
}
