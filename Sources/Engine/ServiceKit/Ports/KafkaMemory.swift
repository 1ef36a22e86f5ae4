package import Kafka
package import Records

/// A `MemoryReader` on a Kafka cluster.
package final class KafkaMemory: MemoryReader {
    /// Reads the records of committed transactions only.
    private let committed: LogReader
    /// Sees the true end of a partition. A reader of committed records sees it where the oldest open
    /// transaction begins.
    private let everything: LogReader
    private let answerLimit: Duration

    /// - Parameters:
    ///   - properties: librdkafka's own, such as `bootstrap.servers`.
    ///   - answerLimit: The longest wait for the cluster.
    /// - Throws: The error of librdkafka if a client cannot be made.
    package init(_ properties: [String: String], answerLimit: Duration = .seconds(5)) throws(KafkaError) {
        self.committed = try LogReader(properties.merging(["isolation.level": "read_committed"]) { $1 })
        self.everything = try LogReader(properties.merging(["isolation.level": "read_uncommitted"]) { $1 })
        self.answerLimit = answerLimit
    }

    /// A descriptor that is readable when there may be something to read, or when a client has something to
    /// report. An engine that reads nothing must not wait on it: it would not sleep any more.
    package var descriptor: Int32 { self.committed.descriptor }

    /// Returns the end of each partition. Waits for the cluster, at most `answerLimit`.
    package func ends(of partitions: [TopicPartition]) throws(KafkaError) -> [TopicPartition: Int64] {
        try self.everything.bounds(of: partitions, atMost: self.answerLimit).mapValues(\.upperBound)
    }

    package func start(at offsets: [TopicPartition: Int64]) throws(KafkaError) {
        try self.committed.start(at: offsets, atMost: self.answerLimit)
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

    package func dropReports() {
        self.everything.dropReports()
        if self.committed.partitions.isEmpty { self.committed.dropReports() }
    }
}
