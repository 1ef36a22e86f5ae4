internal import CRdKafka

/// Reads stretches of partitions without being anybody: it joins no group and commits nothing.
///
/// One reader serves a whole process, stretch after stretch. Like a `Consumer` it belongs to one thread.
@safe package final class LogReader {
    private let consumer: Consumer
    private var readers: [PartitionReader] = []
    /// Instead of an offset, or a time: the first record that there still is, and the first after the present end.
    package static let beginning = Int64(RD_KAFKA_OFFSET_BEGINNING)
    package static let end = Int64(RD_KAFKA_OFFSET_END)

    /// By the places of `partitions`: where the next record will stand of those that have been read as far as there was
    /// something to read.
    package private(set) var ends: [Int64?] = []

    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers`.
    package init(_ properties: [String: String]) throws(KafkaError) {
        // librdkafka assigns partitions to nobody without a group's name; the group itself is never joined.
        var properties = ["group.id": "flotilla-reader"].merging(properties) { $1 }
        properties["enable.partition.eof"] = "true"
        self.consumer = try Consumer(properties)
    }

    /// Leaves the client to the end of the process: to destroy one whose fetched records nobody has read waits for
    /// them without a bound (librdkafka 2.0.2).
    deinit { self.consumer.abandon() }

    /// Readable when there may be something to read.
    package var descriptor: Int32 { self.consumer.descriptor }

    /// Whether `visit` would find something at once.
    package var hasArrivals: Bool { self.readers.contains(where: \.hasArrivals) }

    /// The partitions of all topics. Waits for the cluster, at most this long.
    package func metadata(atMost longest: Duration) throws(KafkaError) -> ClusterMetadata {
        try self.consumer.metadata(atMost: longest)
    }

    /// The cluster's own id. Waits for the cluster, at most this long.
    package func clusterID(atMost longest: Duration) -> String? {
        self.consumer.clusterID(atMost: longest)
    }

    /// What the cluster tells of the settings of topics. Waits for it, at most this long.
    package func settings(
        of topics: [String],
        atMost longest: Duration
    ) throws(KafkaError) -> [String: TopicSettings] {
        try self.consumer.settings(of: topics, atMost: longest)
    }

    /// The first offset that there still is, and the one that the next record will get. Waits for the cluster, at most
    /// this long.
    package func bounds(
        of partition: TopicPartition,
        atMost longest: Duration
    ) throws(KafkaError) -> Range<Int64> {
        guard let bounds = try self.bounds(of: [partition], atMost: longest)[partition] else {
            throw Self.silence(about: partition)
        }
        return bounds
    }

    /// The same of many partitions, with two questions to each leader. Waits for the cluster, at most this long.
    ///
    /// The protocol asks for both as if they were times (ListOffsets: -2 and -1), and so does this.
    /// `rd_kafka_query_watermark_offsets` waits for a leader that is away until it is back, whatever it is told
    /// (librdkafka before 2.3, #2588).
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
            // Of all numbers this must not be made up: a state that is read back from nothing to nothing knows nothing.
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

    /// The offset of the first record that is not older than a time, in milliseconds since 1970; nil for a partition
    /// that has none. Waits for the cluster, at most this long.
    package func offsets(
        notBefore times: [TopicPartition: Int64],
        atMost longest: Duration
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        guard !times.isEmpty else { return [:] }
        let list = PartitionList(times.map { CommittedPosition(partition: $0.key, offset: $0.value) })
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        try KafkaError.check(
            unsafe rd_kafka_offsets_for_times(self.consumer.client.handle, list.list, milliseconds)
        )
        var offsets: [TopicPartition: Int64] = [:]
        for (position, error) in unsafe PartitionList.entries(of: list.list) {
            if let error { throw error }
            offsets[position.partition] = position.offset
        }
        return offsets
    }

    /// Reads these partitions from these offsets on, and no others any more.
    package func start(at positions: [TopicPartition: Int64]) throws(KafkaError) {
        try self.stop()
        self.readers = try self.consumer.assign(
            positions.map { CommittedPosition(partition: $0.key, offset: $0.value) }
        )
        self.ends = [Int64?](repeating: nil, count: self.readers.count)
    }

    /// What is being read.
    package var partitions: [TopicPartition] { self.readers.map(\.partition) }

    /// Reads nothing any more.
    package func stop() throws(KafkaError) {
        self.readers = []
        self.ends = []
        try self.consumer.unassign()
    }

    /// Has librdkafka look at once which partitions have room for more.
    ///
    /// Before 2.2 it looks only once a second after it has found all queues full, and a reader that empties them faster
    /// waits for it. A question to the leaders wakes it, whatever they answer.
    package func hurry(_ partitions: some Sequence<TopicPartition>, atMost longest: Duration) {
        let list = PartitionList(partitions.map { CommittedPosition(partition: $0, offset: 0) })
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        _ = unsafe rd_kafka_offsets_for_times(self.consumer.client.handle, list.list, milliseconds)
    }

    /// Lends what has arrived, at most so many records. Never waits.
    ///
    /// - Parameters:
    ///   - take: lent each record, with the place of its partition in `partitions`.
    ///   - failed: told what is wrong. Unless it is fatal, librdkafka is already trying again.
    /// - Returns: how many records there were. If it is the limit, call again before waiting.
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
    /// Nothing is wrong: there is no further record at the moment.
    package static let endOfPartition = KafkaError.Code(RD_KAFKA_RESP_ERR__PARTITION_EOF)
}
