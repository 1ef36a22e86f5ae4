internal import CRdKafka

/// Reads ranges of partitions without joining a group and without committing.
///
/// One reader serves a whole process and reads one range after the other. Like a `Consumer` it belongs to one
/// thread.
@safe package final class LogReader {
    private let consumer: Consumer
    private var readers: [PartitionReader] = []
    /// Stands for the oldest record that still exists, where an offset or a time is expected.
    package static let beginning = Int64(RD_KAFKA_OFFSET_BEGINNING)
    /// Stands for the first record after the present end, where an offset or a time is expected.
    package static let end = Int64(RD_KAFKA_OFFSET_END)

    /// For each partition, by its index in `partitions`: the offset after the last record, once the reader
    /// has read that far; nil while there may be more to read.
    package private(set) var ends: [Int64?] = []

    /// Makes a client that reads nothing yet.
    ///
    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers`.
    /// - Throws: a `KafkaError` that names the first property that librdkafka refuses.
    package init(_ properties: [String: String]) throws(KafkaError) {
        // librdkafka assigns partitions only to a client with the name of a group. The reader never joins
        // that group.
        var properties = ["group.id": "flotilla-reader", "auto.offset.reset": "earliest"]
            .merging(properties) { $1 }
        properties["enable.partition.eof"] = "true"
        self.consumer = try Consumer(properties)
    }

    /// Keeps librdkafka's client alive until the process ends. Destroying one that has fetched records which
    /// were not read waits for them without any limit (librdkafka 2.0.2).
    deinit { self.consumer.abandon() }

    /// The descriptor to wait on. It is readable when there may be something to read.
    package var descriptor: Int32 { self.consumer.descriptor }

    /// Whether `visit` may find something at once.
    package var hasArrivals: Bool { self.readers.contains(where: \.hasArrivals) }

    /// Returns all topics and their numbers of partitions. Waits for the cluster, at most this long.
    package func metadata(atMost longest: Duration) throws(KafkaError) -> ClusterMetadata {
        try self.consumer.metadata(atMost: longest)
    }

    /// Returns the id of the cluster; nil if no broker tells it in time. Waits for the cluster, at most this
    /// long.
    package func clusterID(atMost longest: Duration) -> String? {
        self.consumer.clusterID(atMost: longest)
    }

    /// Returns the settings of these topics, as far as the cluster tells them. Waits for it, at most this
    /// long.
    package func settings(
        of topics: [String],
        atMost longest: Duration
    ) throws(KafkaError) -> [String: TopicSettings] {
        try self.consumer.settings(of: topics, atMost: longest)
    }

    /// Returns the oldest offset that still exists, and as the end the offset that the next record will get.
    /// Waits for the cluster, at most this long.
    ///
    /// - Throws: `timedOut` if the cluster does not tell both.
    package func bounds(
        of partition: TopicPartition,
        atMost longest: Duration
    ) throws(KafkaError) -> Range<Int64> {
        guard let bounds = try self.bounds(of: [partition], atMost: longest)[partition] else {
            throw Self.silence(about: partition)
        }
        return bounds
    }

    /// Returns the bounds of several partitions, with two requests to each leader. Waits for the cluster, at
    /// most this long.
    ///
    /// - Throws: `timedOut` if the cluster does not tell all bounds.
    package func bounds(
        of partitions: some Collection<TopicPartition>,
        atMost longest: Duration
    ) throws(KafkaError) -> [TopicPartition: Range<Int64>] {
        let deadline = ContinuousClock.now + longest
        let starts = try self.offsets(
            notBefore: Dictionary(partitions.map { ($0, Self.beginning) }) { $1 },
            atMost: longest
        )
        let ends = try self.offsets(
            notBefore: Dictionary(partitions.map { ($0, Self.end) }) { $1 },
            atMost: max(.zero, deadline - .now)
        )
        var bounds: [TopicPartition: Range<Int64>] = [:]
        for partition in partitions {
            // A missing bound must not be replaced by a guess: a caller that restores a state from an empty
            // range ends with an empty state and does not notice.
            guard let start = starts[partition], let end = ends[partition] else {
                throw Self.silence(about: partition)
            }
            bounds[partition] = start..<max(start, end)
        }
        return bounds
    }

    private static func silence(about partition: TopicPartition) -> KafkaError {
        KafkaError(
            code: .timedOut,
            message: "the cluster does not tell the bounds of \(partition.topic)/\(partition.partition)"
        )
    }

    /// Returns, for each partition, the offset of the first record that is not older than a time in
    /// milliseconds since 1970; nil for a partition that has none. Waits for the cluster, at most this long.
    ///
    /// - Throws: the error of the request, or the first error of a partition.
    package func offsets(
        notBefore times: [TopicPartition: Int64],
        atMost longest: Duration
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try self.consumer.offsets(notBefore: times, atMost: longest)
    }

    /// Begins to read these partitions at these offsets, and stops reading all others.
    ///
    /// - Parameters:
    ///   - positions: an offset may be `beginning` or `end`.
    ///   - longest: the longest wait for the cluster, which is asked only for offsets that are no numbers.
    /// - Throws: the error of the cluster if it does not tell the end of a log in time.
    package func start(
        at positions: [TopicPartition: Int64],
        atMost longest: Duration
    ) throws(KafkaError) {
        try self.stop()
        self.readers = try self.consumer.assign(
            positions.map { CommittedPosition(partition: $0.key, offset: $0.value) },
            atMost: longest
        )
        self.ends = [Int64?](repeating: nil, count: self.readers.count)
    }

    /// The partitions that are being read, in the order of `ends`.
    package var partitions: [TopicPartition] { self.readers.map(\.partition) }

    /// Stops reading all partitions.
    package func stop() throws(KafkaError) {
        self.readers = []
        self.ends = []
        try self.consumer.unassign()
    }

    /// Drops the errors and lines of the log that the client has reported. `visit` passes on those that come
    /// later. Never waits.
    package func dropReports() { self.consumer.serve { _ in } }

    /// Makes librdkafka check at once which partitions have room for more records.
    ///
    /// After it has found all queues full, librdkafka before 2.2 checks only once a second, and a reader that
    /// empties the queues faster has to wait for it. A request to the leaders ends that pause, whatever their
    /// answer is. This call waits for the answer, at most this long.
    package func hurry(_ partitions: some Sequence<TopicPartition>, atMost longest: Duration) {
        let list = PartitionList(partitions.map { CommittedPosition(partition: $0, offset: 0) })
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        _ = unsafe rd_kafka_offsets_for_times(self.consumer.client.handle, list.list, milliseconds)
    }

    /// Passes the records that have arrived to a closure, at most `limit` of them. Never waits.
    ///
    /// - Parameters:
    ///   - limit: the largest number of records to pass.
    ///   - take: receives the index of the record's partition in `partitions`, and the record, which is valid
    ///     only during the call.
    ///   - failed: receives each error. Unless the error is fatal, librdkafka is already trying again.
    /// - Returns: the number of records. If it equals `limit`, call again before waiting.
    @discardableResult
    package func visit(
        atMost limit: Int,
        _ take: (Int, borrowing RecordView) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        self.consumer.serve { event in
            if case .failed(let error) = event { failed(error) }
        }
        var taken = 0
        for (place, reader) in self.readers.enumerated() where reader.hasArrivals {
            guard taken < limit else { break }
            taken += reader.visit(atMost: limit - taken) { record in
                self.ends[place] = nil
                take(place, record)
            } _: { error in
                if error.code == .endOfPartition {
                    self.ends[place] = reader.end
                } else {
                    failed(error)
                }
            }
        }
        return taken
    }
}

extension KafkaError.Code {
    /// No error: the partition has no further record at the moment.
    package static let endOfPartition = KafkaError.Code(RD_KAFKA_RESP_ERR__PARTITION_EOF)
}
