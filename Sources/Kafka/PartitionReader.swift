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
                    failed(KafkaError(unsafe message.pointee.err))
                    continue
                }
                take(unsafe InboundRecord(copying: message, topic: self.partition.topic))
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

extension InboundRecord {
    /// Copies everything out of librdkafka's memory, so the record outlives the message, and one slow record
    /// does not hold the whole fetched batch.
    init(copying message: UnsafeMutablePointer<rd_kafka_message_t>, topic: String) {
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = unsafe rd_kafka_message_timestamp(message, &type)
        unsafe self.init(
            topic: topic,
            partition: message.pointee.partition,
            offset: message.pointee.offset,
            timestamp: type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp,
            key: bytes(message.pointee.key, message.pointee.key_len),
            value: bytes(message.pointee.payload, message.pointee.len),
            headers: Self.headers(of: message)
        )
    }

    private static func headers(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> [RecordHeader] {
        var list: OpaquePointer?
        guard unsafe rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return [] }
        guard let list = unsafe list else { return [] }
        var headers: [RecordHeader] = []
        headers.reserveCapacity(unsafe rd_kafka_header_cnt(list))
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var size = 0
        while unsafe rd_kafka_header_get_all(list, headers.count, &name, &value, &size)
            == RD_KAFKA_RESP_ERR_NO_ERROR
        {
            let text = unsafe name.map { unsafe String(cString: $0) } ?? ""
            headers.append(RecordHeader(text, unsafe bytes(value, size)))
        }
        return headers
    }
}

private func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
    unsafe start.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) }
}
