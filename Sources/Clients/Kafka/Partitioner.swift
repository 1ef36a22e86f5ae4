internal import CRdKafka

/// The function with which a producer chooses the partition of a key. Records of one key reach one partition
/// only if all their producers use the same function.
package enum Partitioner: String, Hashable, Sendable, CaseIterable {
    /// The default of Kafka's own client for Java, and of most other clients.
    case murmur2
    /// The default of librdkafka and of the clients that are built on it.
    case crc32

    /// Returns the partition of a key.
    ///
    /// - Parameter count: the number of the topic's partitions.
    package func partition(of key: [UInt8], among count: Int32) -> Int32 {
        self.partition(of: key.span, among: count)
    }

    /// Returns the partition of a key whose bytes another value owns; they are only read during the call.
    package func partition(of key: Span<UInt8>, among count: Int32) -> Int32 {
        guard count > 1 else { return 0 }
        return unsafe key.withUnsafeBytes { bytes in
            switch self {
            case .murmur2:
                unsafe rd_kafka_msg_partitioner_murmur2(nil, bytes.baseAddress, bytes.count, count, nil, nil)
            case .crc32:
                unsafe rd_kafka_msg_partitioner_consistent(
                    nil,
                    bytes.baseAddress,
                    bytes.count,
                    count,
                    nil,
                    nil
                )
            }
        }
    }
}
