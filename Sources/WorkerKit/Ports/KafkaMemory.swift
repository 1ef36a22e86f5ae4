package import Kafka
package import Records

/// `MemoryReader` on a cluster.
package final class KafkaMemory: MemoryReader {
    private let committed: LogReader
    /// Sees the end of a partition where it is, and not where the oldest open transaction begins.
    private let everything: LogReader
    private let answerLimit: Duration

    /// - Parameters:
    ///   - properties: librdkafka's own, such as `bootstrap.servers`.
    ///   - answerLimit: the longest wait for the cluster.
    package init(_ properties: [String: String], answerLimit: Duration = .seconds(5)) throws(KafkaError) {
        self.committed = try LogReader(properties.merging(["isolation.level": "read_committed"]) { $1 })
        self.everything = try LogReader(properties.merging(["isolation.level": "read_uncommitted"]) { $1 })
        self.answerLimit = answerLimit
    }

    /// Readable when there may be something to read.
    package var descriptor: Int32 { self.committed.descriptor }

    package func ends(of partitions: [TopicPartition]) throws(KafkaError) -> [TopicPartition: Int64] {
        try self.everything.bounds(of: partitions, atMost: self.answerLimit).mapValues(\.upperBound)
    }

    package func start(at offsets: [TopicPartition: Int64]) throws(KafkaError) {
        try self.committed.start(at: offsets)
    }

    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        self.committed.visit(atMost: limit, { take($1.copy()) }, failed)
    }

    package func readEnd(of partition: TopicPartition) -> Int64? {
        guard let place = self.committed.partitions.firstIndex(of: partition),
            self.committed.ends.indices.contains(place)
        else { return nil }
        return self.committed.ends[place]
    }

    package func stop() throws(KafkaError) { try self.committed.stop() }
}
