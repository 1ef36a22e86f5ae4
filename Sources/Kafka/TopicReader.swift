internal import CRdKafka
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

        package var description: String { "the topic '\(self.topic)' does not exist, or may not be read" }
    }

    private let consumer: Consumer
    private var readers: [PartitionReader]
    private var ended: Set<TopicPartition> = []

    /// Waits for the cluster to name the topics' partitions, at most this long.
    ///
    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers`.
    package init(
        _ topics: [String],
        from start: Start,
        _ properties: [String: String],
        atMost longest: Duration
    ) throws {
        // librdkafka assigns partitions to nobody without a group's name; the group itself is never joined.
        var properties = ["group.id": "flotilla-reader"].merging(properties) { $1 }
        properties["enable.partition.eof"] = "true"
        self.consumer = try Consumer(properties)
        let counts = try self.consumer.metadata(atMost: longest).partitionCounts
        let offset = Int64(start == .beginning ? RD_KAFKA_OFFSET_BEGINNING : RD_KAFKA_OFFSET_END)
        var positions: [CommittedPosition] = []
        for topic in topics {
            guard let count = counts[topic], count > 0 else { throw MissingTopic(topic: topic) }
            positions += (0..<Int32(clamping: count)).map {
                CommittedPosition(partition: TopicPartition(topic: topic, partition: $0), offset: offset)
            }
        }
        self.readers = try self.consumer.assign(positions)
    }

    /// Leaves the client to the end of the process: to destroy one whose fetched records nobody has read
    /// waits for them without a bound (librdkafka 2.0.2). A process makes few readers.
    deinit { self.consumer.abandon() }

    /// Readable when there may be something to read.
    package var descriptor: Int32 { self.consumer.descriptor }

    /// Whether the end of every partition has been seen, and nothing after it.
    package var isAtEnd: Bool { self.ended.count == self.readers.count }

    /// Whether `read` would find something at once.
    package var hasArrivals: Bool { self.readers.contains(where: \.hasArrivals) }

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
        self.consumer.serve { event in
            if case .failed(let error) = event { failed(error) }
        }
        var taken = 0
        for reader in self.readers where reader.hasArrivals {
            guard taken < limit else { break }
            let partition = reader.partition
            taken += reader.read(atMost: limit - taken) { record in
                self.ended.remove(partition)
                take(record)
            } _: { error in
                if error.code == .endOfPartition {
                    self.ended.insert(partition)
                } else {
                    failed(error)
                }
            }
        }
        return taken
    }
}

extension KafkaError.Code {
    /// Nothing is wrong: there is no further record at the moment.
    static let endOfPartition = KafkaError.Code(RD_KAFKA_RESP_ERR__PARTITION_EOF)
}
