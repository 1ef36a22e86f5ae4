package import Kafka
package import Records

/// Reads what an engine has written of its state, or reads its input once more: committed records only, and no one
/// else's reading is moved by it.
package protocol MemoryReader: AnyObject {
    /// Where the next record of each will stand, open transactions included. Waits for the cluster.
    func ends(of partitions: [TopicPartition]) throws(KafkaError) -> [TopicPartition: Int64]

    /// Reads these partitions from these offsets on, and no others any more.
    func start(at offsets: [TopicPartition: Int64]) throws(KafkaError)

    /// Hands over at most so many records that have arrived. Never waits.
    func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int

    /// How far a partition has certainly been read, once everything that there was has been: the offset after it.
    func readEnd(of partition: TopicPartition) -> Int64?

    /// Reads nothing any more.
    func stop() throws(KafkaError)
}

extension MemoryReader {
    /// Reads these partitions from their beginnings, and no others any more.
    package func start(_ partitions: [TopicPartition]) throws(KafkaError) {
        try self.start(at: Dictionary(partitions.map { ($0, LogReader.beginning) }) { $1 })
    }
}
