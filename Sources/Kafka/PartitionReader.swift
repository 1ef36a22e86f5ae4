internal import CRdKafka
package import Records

/// The records of one assigned partition, in order, at the reader's own pace.
///
/// librdkafka fetches ahead up to `queued.min.messages` and `queued.max.messages.kbytes` for each partition, and
/// no further while nobody reads.
@safe package final class PartitionReader {
    package let partition: TopicPartition
    /// False as long as a read would certainly find nothing.
    package internal(set) var hasArrivals = true
    /// Where the next record will stand, when its reader was last told that there is none. Before it there may be
    /// offsets without a record, such as the marks that transactions end with.
    package private(set) var end: Int64 = 0
    private let queue: EventQueue
    private var batch = unsafe [UnsafeMutablePointer<rd_kafka_message_t>?](repeating: nil, count: 64)

    init(_ partition: TopicPartition, of client: Client, tag: UInt32, on pipe: NotificationPipe) {
        self.partition = partition
        let queue = unsafe rd_kafka_queue_get_partition(client.handle, partition.topic, partition.partition)
        guard let queue = unsafe queue else { preconditionFailure("a producer has no partition queues") }
        unsafe self.queue = EventQueue(owning: queue)
        // Said before the assignment, so that librdkafka leaves the queue alone when it begins to fetch.
        unsafe rd_kafka_queue_forward(queue, nil)
        self.queue.announce(on: pipe, as: tag)
    }

    /// Hands over what has arrived, at most so many. Never waits.
    ///
    /// - Returns: how many records there were.
    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    )
        -> Int
    {
        self.visit(atMost: limit, { take($0.copy()) }, failed)
    }

    /// As `read`, for whoever looks at many records and keeps few: nothing is copied.
    ///
    /// Not inlined, because the optimizer of Swift 6.3.1 dies of it: it cannot forward a lent value that is not copyable.
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
            let wanted = min(limit - taken, unsafe self.batch.count)
            let count = unsafe self.batch.withUnsafeMutableBufferPointer {
                unsafe rd_kafka_consume_batch_queue(self.queue.queue, 0, $0.baseAddress, wanted)
            }
            for index in 0..<max(0, count) {
                guard let message = unsafe self.batch[index] else { continue }
                defer { unsafe rd_kafka_message_destroy(message) }
                guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                    if unsafe message.pointee.err == RD_KAFKA_RESP_ERR__PARTITION_EOF {
                        self.end = unsafe message.pointee.offset
                    }
                    failed(KafkaError(unsafe message.pointee.err))
                    continue
                }
                take(unsafe RecordView(message, topic: self.partition.topic))
                taken += 1
            }
            if count < wanted {
                self.hasArrivals = false
                break
            }
        }
        return taken
    }
}
