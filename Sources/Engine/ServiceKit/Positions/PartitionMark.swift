package import Kafka

/// A 64-bit hash that tells one partition of one topic of one cluster from every other.
///
/// Every value that is stored by offset carries it, because an offset alone means something else in another
/// partition. The hash is FNV-1a over cluster id, topic and partition. A chance match of two partitions is as
/// good as excluded. The mark is no protection against forgery.
package struct PartitionMark: Hashable, Sendable {
    private let hash: UInt64

    /// Makes the mark of a partition in the cluster with this id.
    package init(clusterID: String, _ partition: TopicPartition) {
        var hash: UInt64 = 14_695_981_039_346_656_037
        // A zero byte cannot occur in the parts, so no two partitions give the same bytes.
        for byte in "\(clusterID)\0\(partition.topic)\0\(partition.partition)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        self.hash = hash
    }

    /// The mark as 16 hexadecimal digits.
    package var text: String {
        let digits = String(self.hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
