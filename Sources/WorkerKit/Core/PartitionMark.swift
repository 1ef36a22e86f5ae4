package import Kafka

/// Tells one partition of one topic of one cluster from every other, in 64 bits.
///
/// Everything that is stored by offset carries it: an offset alone means something else in another partition. It is
/// FNV-1a over cluster id, topic and partition. A chance match of two places is as good as excluded; the mark is no
/// protection against somebody who forges one.
package struct PartitionMark: Hashable, Sendable {
    private let hash: UInt64

    package init(clusterID: String, _ partition: TopicPartition) {
        var hash: UInt64 = 14_695_981_039_346_656_037
        // A zero byte cannot occur in the parts, so no two places spell the same.
        for byte in "\(clusterID)\0\(partition.topic)\0\(partition.partition)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        self.hash = hash
    }

    /// 16 hexadecimal digits.
    package var text: String {
        let digits = String(self.hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
