internal import CRdKafka
package import Records

/// Reads the records of one assigned partition in their order, whenever the owner asks for them.
///
/// librdkafka fetches ahead for each partition until it holds `queued.min.messages` or
/// `queued.max.messages.kbytes`, and stops there while the owner does not read.
@safe package final class PartitionReader {
    /// The partition whose records are read.
    package let partition: TopicPartition
    /// Whether there may be something to read. False only if a read would certainly find nothing.
    package internal(set) var hasArrivals = true
    /// The offset at which librdkafka last reported the end of the partition; 0 before the first such report.
    /// Offsets without a record can lie before it, such as transaction markers.
    package private(set) var end: Int64 = 0
    /// The offset before which reading ends: records from there on are not passed on.
    package var bound = Int64.max
    /// Whether every record before `bound` has been passed on.
    package private(set) var isAtBound = false
    private let queue: EventQueue
    private let watch: LogBoundsWatch

    init(
        _ partition: TopicPartition,
        of client: Client,
        bounds: LogBoundsWatch,
        tag: UInt32,
        on pipe: NotificationPipe
    ) {
        self.partition = partition
        self.watch = bounds
        let queue = unsafe rd_kafka_queue_get_partition(client.handle, partition.topic, partition.partition)
        guard let queue = unsafe queue else { preconditionFailure("a producer has no partition queues") }
        unsafe self.queue = EventQueue(owning: queue)
        // The queue must stop forwarding to the consumer's common queue before the assignment, so that
        // librdkafka leaves it so when it begins to fetch.
        unsafe rd_kafka_queue_forward(queue, nil)
        self.queue.announce(on: pipe, as: tag)
    }

    /// The offsets between which the log of the partition lies, as far as is known without waiting; nil if
    /// nothing is known.
    package var logBounds: LogBounds? { self.watch.bounds(of: self.partition) }

    /// Passes on copies of the records that have arrived, at most `limit` of them. Never waits.
    ///
    /// - Parameter failed: receives each error, and the code `endOfPartition` if the client was told to
    ///   report it.
    /// - Returns: the number of records.
    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    )
        -> Int
    {
        self.visit(atMost: limit, { take($0.copy()) }, failed)
    }

    /// Does the work of `read` without copying, for a caller that looks at many records and keeps few of
    /// them.
    ///
    /// Messages are taken from librdkafka one by one. Its call for a whole batch loses records before version
    /// 2.1: a pause, a resume or a seek while the batch is being filled takes messages out of it again, and
    /// fetching goes on behind them (confluentinc/librdkafka#4208).
    ///
    /// The function is not inlined, because the optimizer of Swift 6.3.1 crashes otherwise: it cannot forward
    /// a borrowed value that is not copyable.
    @inline(never)
    package func visit(
        atMost limit: Int,
        _ take: (borrowing RecordView) -> Void,
        _ failed: (KafkaError) -> Void
    )
        -> Int
    {
        var taken = 0
        while taken < limit {
            guard !self.isAtBound, let message = unsafe rd_kafka_consume_queue(self.queue.queue, 0) else {
                self.hasArrivals = false
                break
            }
            defer { unsafe rd_kafka_message_destroy(message) }
            guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                if unsafe message.pointee.err == RD_KAFKA_RESP_ERR__PARTITION_EOF {
                    self.end = unsafe message.pointee.offset
                    // Offsets without a record may be all that is left before the bound.
                    self.isAtBound = self.end >= self.bound
                }
                failed(KafkaError(unsafe message.pointee.err))
                continue
            }
            let offset = unsafe message.pointee.offset
            self.isAtBound = offset >= self.bound - 1
            guard offset < self.bound else { continue }
            take(unsafe RecordView(message, topic: self.partition.topic))
            taken += 1
        }
        return taken
    }
}
