internal import CRdKafka

/// How clients choose the partition of a key. The same key goes to the same partition only among clients that choose
/// the same way.
package enum Partitioner: String, Hashable, Sendable, CaseIterable {
    /// Of Kafka's own client for Java, and of most others.
    case murmur2
    /// Of librdkafka where nothing else is set, and of the clients that are built on it.
    case crc32

    /// - Parameter count: of the topic's partitions.
    package func partition(of key: [UInt8], among count: Int32) -> Int32 {
        self.partition(of: key.span, among: count)
    }

    /// The same of bytes that are somebody else's.
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
