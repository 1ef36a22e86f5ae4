package import Records

/// Reads topics without being anybody: it joins no group, commits nothing, and sees every partition.
///
/// For tools and tests. Like a `Consumer` it belongs to one thread, which waits on `descriptor` and then calls `read`.
@safe package final class TopicReader {
    package enum Start: Hashable, Sendable {
        /// The oldest record that there still is.
        case beginning
        /// The first record published after the reader has found the end.
        case end
    }

    /// A topic that is not there, or that this client may not see.
    package struct MissingTopic: Error, Hashable, CustomStringConvertible {
        package var topic: String

        package init(topic: String) { self.topic = topic }

        package var description: String { "the topic '\(self.topic)' does not exist, or may not be read" }
    }

    private let log: LogReader

    /// Waits for the cluster to name the topics' partitions, at most this long.
    ///
    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers`.
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
        try self.log.start(at: positions)
    }

    /// Readable when there may be something to read.
    package var descriptor: Int32 { self.log.descriptor }

    /// Whether the end of every partition has been seen, and nothing after it.
    package var isAtEnd: Bool { self.log.ends.allSatisfy { $0 != nil } }

    /// Whether `read` would find something at once.
    package var hasArrivals: Bool { self.log.hasArrivals }

    /// Hands over what has arrived, at most so many records. Never waits.
    ///
    /// - Parameter failed: told what is wrong. Unless it is fatal, librdkafka is already trying again.
    /// - Returns: how many records there were. If it is the limit, call again before waiting.
    @discardableResult
    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        self.log.visit(atMost: limit, { take($1.copy()) }, failed)
    }
}
