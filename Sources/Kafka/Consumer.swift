internal import CRdKafka

/// A member of a consumer group, owned by one thread.
///
/// Nothing here waits, except where it says so: the owner waits on `descriptor` and then calls `serve`. A
/// rebalance is an event like any other, and the group waits for the answer (`assign` or `unassign`), so the
/// owner can drain for as long as `max.poll.interval.ms` allows.
///
/// Records are read partition by partition (`PartitionReader`) instead of from one queue: a partition that is
/// not read holds up nobody, needs no pause and loses no prefetched record to one, and rebalances are never
/// stuck behind records.
@safe package final class Consumer {
    let client: Client
    private let groupQueue: EventQueue
    private let pipe: NotificationPipe
    private var readers: [UInt32: PartitionReader] = [:]
    private var lastTag: UInt32 = 0
    private static let groupTag: UInt32 = 0

    /// - Parameter properties: librdkafka's own, such as `bootstrap.servers` and `group.id`.
    package init(_ properties: [String: String]) throws(KafkaError) {
        var properties = properties
        properties["enable.auto.commit"] = "false"
        properties["enable.auto.offset.store"] = "false"
        properties["log.queue"] = "true"
        let events =
            RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT | RD_KAFKA_EVENT_ERROR
            | RD_KAFKA_EVENT_LOG
        self.client = try Client(RD_KAFKA_CONSUMER, ClientSettings(properties, events: events))
        self.pipe = NotificationPipe()
        try KafkaError.check(unsafe rd_kafka_poll_set_consumer(self.client.handle))
        unsafe self.groupQueue = EventQueue(owning: rd_kafka_queue_get_consumer(self.client.handle))
        try KafkaError.check(unsafe rd_kafka_set_log_queue(self.client.handle, nil))
        self.groupQueue.announce(on: self.pipe, as: Self.groupTag)
    }

    /// Readable when a partition or the group has something new.
    package var descriptor: Int32 { self.pipe.readEnd }

    package func subscribe(to topics: [String]) throws(KafkaError) {
        let list = PartitionList(topics: topics)
        try KafkaError.check(unsafe rd_kafka_subscribe(self.client.handle, list.list))
    }

    /// Hands over what happened since the last call, in order. Call it at least every `max.poll.interval.ms`,
    /// or the group takes this member for dead.
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
        // The request may have succeeded as a whole and failed for one partition.
        let failure = unsafe event.error ?? PartitionList.entries(of: list).lazy.compactMap(\.error).first
        return .committed(id: UInt64(id), failure)
    }

    /// What the group has committed for these partitions. Waits for the broker, at most this long.
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

    /// Accepts an assignment and begins to fetch it, each partition at its position, or where
    /// `auto.offset.reset` says if it has none.
    package func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [PartitionReader] {
        self.readers = [:]
        for position in positions {
            self.lastTag &+= 1
            if self.lastTag == Self.groupTag { self.lastTag = 1 }
            let reader = PartitionReader(
                position.partition,
                of: self.client,
                tag: self.lastTag,
                on: self.pipe
            )
            self.readers[self.lastTag] = reader
        }
        let list = PartitionList(
            positions.map { CommittedPosition(partition: $0.partition, offset: $0.offset) }
        )
        try KafkaError.check(unsafe rd_kafka_assign(self.client.handle, list.list))
        return self.readers.values.sorted { $0.partition < $1.partition }
    }

    /// Gives every partition up; the answer to `revoked`, when whoever worked on them is done.
    package func unassign() throws(KafkaError) {
        self.readers = [:]
        try KafkaError.check(unsafe rd_kafka_assign(self.client.handle, nil))
    }

    /// Sends a commit; what came of it arrives as `committed` with this id.
    package func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        let list = PartitionList(positions)
        let opaque = unsafe UnsafeMutableRawPointer(bitPattern: UInt(id))
        try KafkaError.check(
            unsafe rd_kafka_commit_queue(self.client.handle, list.list, self.groupQueue.queue, nil, opaque)
        )
    }

    /// Begins to leave the group. Keep serving, and answer the last `revoked`, until `isClosed`.
    package func close() throws(KafkaError) {
        try unsafe KafkaError.check(
            consuming: rd_kafka_consumer_close_queue(self.client.handle, self.groupQueue.queue)
        )
    }

    /// Leaves librdkafka's client alone for the rest of the process. To destroy one that has not left its group is
    /// to wait for a coordinator that may be gone, without a bound; for a process that is about to end, this is the
    /// way out. The group finds out by itself, after the session timeout.
    package func abandon() { _ = unsafe Unmanaged.passRetained(self.client) }

    package var isClosed: Bool { unsafe rd_kafka_consumer_closed(self.client.handle) != 0 }

    /// The cluster's own id, which makes ids unique between clusters. Waits for the broker, at most this long.
    package func clusterID(atMost longest: Duration) -> String? {
        self.client.clusterID(atMost: longest)
    }
}

/// What a consumer has to tell.
package enum ConsumerEvent: Hashable, Sendable {
    /// The group gives this member partitions: answer with `assign`.
    case assigned([TopicPartition])
    /// The group takes them back: answer with `unassign`. If they are lost, somebody else already has them, and
    /// nothing may be committed for them.
    case revoked([TopicPartition], isLost: Bool)
    case committed(id: UInt64, KafkaError?)
    /// Something is wrong. Unless it is fatal, librdkafka is already trying again.
    case failed(KafkaError)
    case logged(ClientLog)
}
