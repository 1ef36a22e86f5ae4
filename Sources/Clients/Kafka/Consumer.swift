internal import CRdKafka

/// A member of a consumer group, owned by one thread.
///
/// No call waits unless its comment says so. The owner waits on `descriptor` and then calls `serve`. A
/// rebalance is an event like any other. The group waits for the answer to it (`assign` or `unassign`), so
/// the owner can drain its work for as long as `max.poll.interval.ms` allows.
///
/// Records are read partition by partition (`PartitionReader`) and not from one common queue. A partition
/// that is not read then delays no other partition, needs no pause, and loses no prefetched records as it
/// would by a pause. Rebalance events are never queued behind records.
@safe package final class Consumer {
    let client: Client
    /// The bounds of the logs of the assigned partitions.
    package let logBounds: LogBoundsWatch
    private let groupQueue: EventQueue
    private let pipe: NotificationPipe
    private var readers: [UInt32: PartitionReader] = [:]
    private var lastTag: UInt32 = 0
    private static let groupTag: UInt32 = 0

    /// Makes a client that has not joined its group yet.
    ///
    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers` and `group.id`. The properties
    ///   of automatic commits and of the log queue are set here in any case.
    /// - Throws: a `KafkaError` that names the first property that librdkafka refuses.
    package init(_ properties: [String: String]) throws(KafkaError) {
        var properties = properties
        properties["enable.auto.commit"] = "false"
        properties["enable.auto.offset.store"] = "false"
        properties["log.queue"] = "true"
        let events =
            RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT | RD_KAFKA_EVENT_ERROR
            | RD_KAFKA_EVENT_LOG
        self.client = try Client(RD_KAFKA_CONSUMER, properties, events: events)
        self.logBounds = LogBoundsWatch(of: self.client)
        self.pipe = NotificationPipe()
        try KafkaError.check(unsafe rd_kafka_poll_set_consumer(self.client.handle))
        unsafe self.groupQueue = EventQueue(owning: rd_kafka_queue_get_consumer(self.client.handle))
        try KafkaError.check(unsafe rd_kafka_set_log_queue(self.client.handle, nil))
        self.groupQueue.announce(on: self.pipe, as: Self.groupTag)
    }

    /// The descriptor to wait on. It is readable when a partition has new records or the group has a new
    /// event.
    package var descriptor: Int32 { self.pipe.readEnd }

    /// Joins the group for these topics. The assignment arrives later as an event.
    package func subscribe(to topics: [String]) throws(KafkaError) {
        let list = PartitionList(topics: topics)
        try KafkaError.check(unsafe rd_kafka_subscribe(self.client.handle, list.list))
    }

    /// Passes on the events since the last call, in their order.
    ///
    /// The owner must call this at least every `max.poll.interval.ms`, or the group treats this member as
    /// dead.
    package func serve(_ tell: (ConsumerEvent) -> Void) {
        self.pipe.drain { self.readers[$0]?.hasArrivals = true }
        while let event = self.groupQueue.next() {
            if let event = self.understood(event) { tell(event) }
        }
    }

    private func understood(_ event: borrowing Event) -> ConsumerEvent? {
        switch event.type {
        case RD_KAFKA_EVENT_REBALANCE: self.rebalance(event)
        case RD_KAFKA_EVENT_OFFSET_COMMIT: Self.commitAnswer(event)
        case RD_KAFKA_EVENT_LOG: event.log.map { .logged($0) }
        case RD_KAFKA_EVENT_ERROR: event.error.map { .failed(self.client.fatalFailure() ?? $0) }
        // Every partition has a queue of its own, so no record belongs here. The owner could not tell a record
        // that was dropped here from an offset that never had one, and would commit past it.
        case RD_KAFKA_EVENT_FETCH: .failed(.strayRecord)
        default: nil
        }
    }

    private func rebalance(_ event: borrowing Event) -> ConsumerEvent {
        let list = unsafe rd_kafka_event_topic_partition_list(event.event)
        let partitions = unsafe PartitionList.entries(of: list).map(\.position.partition)
        guard unsafe rd_kafka_event_error(event.event) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS else {
            return .revoked(partitions, isLost: unsafe rd_kafka_assignment_lost(self.client.handle) != 0)
        }
        return .assigned(partitions)
    }

    private static func commitAnswer(_ event: borrowing Event) -> ConsumerEvent {
        let list = unsafe rd_kafka_event_topic_partition_list(event.event)
        let id = unsafe UInt(bitPattern: rd_kafka_event_opaque(event.event))
        // A commit can succeed as a request and fail for one of its partitions.
        let failure = unsafe event.error ?? PartitionList.entries(of: list).lazy.compactMap(\.error).first
        return .committed(id: UInt64(id), failure)
    }

    /// Returns the group's committed positions of these partitions. Waits for the broker, at most this long.
    ///
    /// - Throws: the error of the request, or the first error of a partition.
    package func committed(_ partitions: [TopicPartition], atMost longest: Duration) throws(KafkaError)
        -> [CommittedPosition]
    {
        let list = PartitionList(partitions.map { CommittedPosition(partition: $0, offset: nil) })
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        try KafkaError.check(unsafe rd_kafka_committed(self.client.handle, list.list, milliseconds))
        let entries = unsafe PartitionList.entries(of: list.list)
        for case let error? in entries.map(\.error) { throw error }
        return entries.map(\.position)
    }

    /// Returns, for each partition, the offset of the first record that is not older than a time in
    /// milliseconds since 1970, or a bound of its log (`LogReader.beginning`, `LogReader.end`); nil for a
    /// partition that has none. Waits for the cluster, at most this long.
    ///
    /// - Throws: the error of the request, or the first error of a partition.
    package func offsets(
        notBefore times: [TopicPartition: Int64],
        atMost longest: Duration
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try self.client.offsets(notBefore: times, atMost: longest)
    }

    /// Accepts an assignment and begins to fetch it. Each partition starts at its position, or with its oldest
    /// record if it has none.
    ///
    /// librdkafka gets numbers only. If it has to ask for the end of a log, and the assignment ends before the
    /// answer, it asks again later, whatever is assigned by then, and goes on reading at that end: the records
    /// before it are lost without a word (`rd_kafka_toppar_handle_Offset` in 2.0.2, and the same in 2.15).
    ///
    /// - Parameters:
    ///   - positions: an offset may be `LogReader.beginning` or `LogReader.end`.
    ///   - longest: the longest wait for the cluster, which is asked only for offsets that are no numbers.
    /// - Returns: one reader for each partition, in the order of the partitions. The readers of an earlier
    ///   assignment are no longer told of new records.
    /// - Throws: the error of the cluster if it does not tell the end of a log in time.
    package func assign(
        _ positions: [CommittedPosition],
        atMost longest: Duration
    ) throws(KafkaError) -> [PartitionReader] {
        let positions = try self.numbered(positions, atMost: longest)
        self.readers = [:]
        self.logBounds.follow(positions.map(\.partition))
        for position in positions {
            self.lastTag &+= 1
            if self.lastTag == Self.groupTag { self.lastTag = 1 }
            let reader = PartitionReader(
                position.partition,
                of: self.client,
                bounds: self.logBounds,
                tag: self.lastTag,
                on: self.pipe
            )
            self.readers[self.lastTag] = reader
        }
        let list = PartitionList(positions)
        try KafkaError.check(unsafe rd_kafka_assign(self.client.handle, list.list))
        return self.readers.values.sorted { $0.partition < $1.partition }
    }

    /// Returns the positions as numbers and without metadata.
    ///
    /// A partition whose oldest offset the cluster does not tell, perhaps because it has no leader, begins at 0. So
    /// it does not keep the others waiting. If its log begins later, `auto.offset.reset` goes on from there.
    private func numbered(
        _ positions: [CommittedPosition],
        atMost longest: Duration
    ) throws(KafkaError) -> [CommittedPosition] {
        func asking(for bound: Int64) -> [TopicPartition: Int64] {
            let partitions = positions.filter { ($0.offset ?? LogReader.beginning) == bound }.map(\.partition)
            return Dictionary(partitions.map { ($0, bound) }) { $1 }
        }
        let deadline = ContinuousClock.now + longest
        let ends = try self.client.offsets(notBefore: asking(for: LogReader.end), atMost: longest)
        let starts = try? self.client.offsets(
            notBefore: asking(for: LogReader.beginning),
            atMost: max(.zero, deadline - .now)
        )
        var numbered: [CommittedPosition] = []
        for position in positions {
            let partition = position.partition
            let offset: Int64? =
                switch position.offset ?? LogReader.beginning {
                case LogReader.beginning: starts?[partition] ?? 0
                case LogReader.end: ends[partition]
                case let number: number
                }
            guard let offset, offset >= 0 else { throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT) }
            numbered.append(CommittedPosition(partition: partition, offset: offset))
        }
        return numbered
    }

    /// Gives up all partitions. This answers `revoked`, and the owner calls it when the work on them has
    /// ended.
    package func unassign() throws(KafkaError) {
        self.readers = [:]
        self.logBounds.follow([])
        try KafkaError.check(unsafe rd_kafka_assign(self.client.handle, nil))
    }

    /// Sends a commit. Its result arrives as a `committed` event with this id.
    package func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        let list = PartitionList(positions)
        let opaque = unsafe UnsafeMutableRawPointer(bitPattern: UInt(id))
        try KafkaError.check(
            unsafe rd_kafka_commit_queue(self.client.handle, list.list, self.groupQueue.queue, nil, opaque)
        )
    }

    /// Begins to leave the group. The owner must go on serving, and answer the last `revoked`, until
    /// `isClosed`.
    package func close() throws(KafkaError) {
        try unsafe KafkaError.check(
            consuming: rd_kafka_consumer_close_queue(self.client.handle, self.groupQueue.queue)
        )
    }

    /// Keeps librdkafka's client alive until the process ends.
    ///
    /// Destroying a client that has not left its group waits for the coordinator, which may be unreachable,
    /// without any limit. A process that is about to end calls this instead. The group removes the member
    /// after the session timeout.
    package func abandon() { _ = unsafe Unmanaged.passRetained(self.client) }

    /// Whether the consumer has left its group after `close`.
    package var isClosed: Bool { unsafe rd_kafka_consumer_closed(self.client.handle) != 0 }

    /// Returns the id of the cluster, which keeps record ids of different clusters apart. Waits for the
    /// broker, at most this long; nil if no broker tells the id in time.
    package func clusterID(atMost longest: Duration) -> String? {
        self.client.clusterID(atMost: longest)
    }
}

/// An event of a consumer.
package enum ConsumerEvent: Hashable, Sendable {
    /// The group assigns partitions to this member. Answer with `assign`.
    case assigned([TopicPartition])
    /// The group revokes the partitions. Answer with `unassign`. If they are lost, another member may already
    /// have them, and nothing may be committed for them.
    case revoked([TopicPartition], isLost: Bool)
    /// The result of the commit with this id; no error means that the broker has stored the positions.
    case committed(id: UInt64, KafkaError?)
    /// An error of the client. Unless the error is fatal, librdkafka is already trying again.
    case failed(KafkaError)
    /// A line of librdkafka's log.
    case logged(ClientLog)
}
