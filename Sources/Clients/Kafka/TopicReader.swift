package import Records

/// Reads all partitions of topics without joining a group and without committing.
///
/// Tools and tests use it. Like a `Consumer` it belongs to one thread, which waits on `descriptor` and then
/// calls `read`.
@safe package final class TopicReader {
    /// The place in every partition at which reading begins.
    package enum Start: Hashable, Sendable {
        /// The oldest record that still exists.
        case beginning
        /// The first record that is published after the reader has found the end.
        case end
    }

    /// The topic does not exist, or this client may not see it.
    package struct MissingTopic: Error, Hashable, CustomStringConvertible {
        /// The topic's name.
        package var topic: String

        /// Names the topic that was looked for.
        package init(topic: String) { self.topic = topic }

        package var description: String { "the topic '\(self.topic)' does not exist, or may not be read" }
    }

    private let log: LogReader

    /// Begins to read. Waits until the cluster has named the partitions of the topics, at most this long.
    ///
    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers`.
    /// - Throws: `MissingTopic`, or a `KafkaError`.
    package init(
        _ topics: [String],
        from start: Start,
        _ properties: [String: String],
        atMost longest: Duration
    ) throws {
        self.log = try LogReader(properties)
        let counts = try self.log.metadata(atMost: longest).partitionCounts
        let offset = start == .beginning ? LogReader.beginning : LogReader.end
        var positions: [TopicPartition: Int64] = [:]
        for topic in topics {
            guard let count = counts[topic], count > 0 else { throw MissingTopic(topic: topic) }
            for partition in 0..<Int32(clamping: count) {
                positions[TopicPartition(topic: topic, partition: partition)] = offset
            }
        }
        try self.log.start(at: positions, atMost: longest)
    }

    /// The descriptor to wait on. It is readable when there may be something to read.
    package var descriptor: Int32 { self.log.descriptor }

    /// Whether the reader has reached the end of every partition and has seen no record since.
    package var isAtEnd: Bool { self.log.ends.allSatisfy { $0 != nil } }

    /// Whether `read` may find something at once.
    package var hasArrivals: Bool { self.log.hasArrivals }

    /// Passes on the records that have arrived, at most `limit` of them. Never waits.
    ///
    /// - Parameter failed: receives each error. Unless the error is fatal, librdkafka is already trying
    ///   again.
    /// - Returns: the number of records. If it equals `limit`, call again before waiting.
    @discardableResult
    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        self.log.visit(atMost: limit, { take($1.copy()) }, failed)
    }
}
