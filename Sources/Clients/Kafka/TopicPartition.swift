/// One partition of a topic. Partitions sort by the topic's name, then by the number.
package struct TopicPartition: Hashable, Sendable {
    /// The topic's name.
    package var topic: String
    /// The partition's number within its topic, from 0.
    package var partition: Int32

    /// Names a partition, which need not exist.
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

/// The progress of a group in one partition, as the broker stores it.
package struct CommittedPosition: Hashable, Sendable {
    /// The partition that the position belongs to.
    package var partition: TopicPartition
    /// The first offset that is not done; nil if the group has never committed one.
    package var offset: Int64?
    /// The text that is stored with the offset: at most 4,096 bytes, the broker's default limit, of printable
    /// ASCII. librdkafka before 2.6.1 reads other bytes back wrong.
    package var metadata: String

    /// Makes a position to commit, or to begin reading at.
    package init(partition: TopicPartition, offset: Int64?, metadata: String = "") {
        self.partition = partition
        self.offset = offset
        self.metadata = metadata
    }
}
