package import Kafka
package import Records

/// Reads what an engine has written of its state, or reads the engine's input again.
///
/// The reader sees committed records only. It is no member of a group, so it moves no member's position.
package protocol MemoryReader: AnyObject {
    /// Returns the offset that the next record of each partition will have, open transactions included. Waits
    /// for the cluster.
    func ends(of partitions: [TopicPartition]) throws(KafkaError) -> [TopicPartition: Int64]

    /// Starts to read these partitions from these offsets on, and reads no others any more. Waits for the cluster if
    /// an offset is `LogReader.beginning`.
    func start(at offsets: [TopicPartition: Int64]) throws(KafkaError)

    /// Hands over at most this many records that have arrived. Never waits.
    func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int

    /// Returns the offset after the last one that has certainly been read; nil as long as not everything that
    /// is there has been read.
    func readEnd(of partition: TopicPartition) -> Int64?

    /// Stops reading.
    func stop() throws(KafkaError)

    /// Drops what the clients have reported while nothing was read: the clients of the broker report the same
    /// of the same cluster. An engine calls this once a second, or the reports would pile up.
    func dropReports()
}

extension MemoryReader {
    /// Starts to read these partitions from their beginnings, and reads no others any more.
    package func start(_ partitions: [TopicPartition]) throws(KafkaError) {
        try self.start(at: Dictionary(partitions.map { ($0, LogReader.beginning) }) { $1 })
    }
}
