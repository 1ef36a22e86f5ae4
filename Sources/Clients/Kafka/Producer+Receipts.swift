internal import CRdKafka

/// The position that a record got in its topic, or the error because of which it has none.
package struct DeliveryReceipt: Hashable, Sendable {
    /// The id that the caller gave to `send`.
    package var id: UInt64
    /// The topic and partition of the record. The topic's name is empty if librdkafka does not tell it.
    package var partition: TopicPartition
    /// The record's offset, which has no meaning if there is an error.
    package var offset: Int64
    /// The time that the broker put on the record, in milliseconds since 1970; nil if the record keeps that of its
    /// producer, as on topics without `message.timestamp.type=LogAppendTime`.
    package var appendTime: Int64?
    /// The reason why the record was not written; nil if it was.
    package var error: KafkaError?
}

extension Producer {
    /// Does the work of `serve` for a caller that needs the position of each record. The engine needs no
    /// positions, and with `serve` it does not pay for a topic's name for every record.
    package func serve(receipts tell: (DeliveryReceipt) -> Void, _ failed: (KafkaError) -> Void) {
        self.pipe.drain { _ in }
        while let event = self.reports.next() {
            switch event.type {
            case RD_KAFKA_EVENT_DR: Self.receipts(in: event, tell)
            case RD_KAFKA_EVENT_ERROR:
                if let error = event.error { failed(self.client.fatalFailure() ?? error) }
            default: break
            }
        }
    }

    private static func receipts(in event: borrowing Event, _ tell: (DeliveryReceipt) -> Void) {
        while let message = unsafe rd_kafka_event_message_next(event.event) {
            let topic = unsafe message.pointee.rkt.map { unsafe String(cString: rd_kafka_topic_name($0)) }
            let code = unsafe message.pointee.err
            var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
            let time = unsafe rd_kafka_message_timestamp(message, &type)
            var error = code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code)
            // As in `serve`, the topic is the only word about a right that was taken away.
            if error?.code == .topicNotAuthorized, let topic { error?.message += ": '\(topic)'" }
            tell(
                DeliveryReceipt(
                    id: unsafe UInt64(UInt(bitPattern: message.pointee._private)),
                    partition: TopicPartition(
                        topic: topic ?? "",
                        partition: unsafe message.pointee.partition
                    ),
                    offset: unsafe message.pointee.offset,
                    appendTime: type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? time : nil,
                    error: error
                )
            )
        }
    }
}
