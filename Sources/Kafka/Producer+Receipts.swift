internal import CRdKafka

/// Where a record came to stand in its topic, or why it is not there.
package struct DeliveryReceipt: Hashable, Sendable {
    /// As it was given to `send`.
    package var id: UInt64
    package var partition: TopicPartition
    /// Of no meaning where there is an error.
    package var offset: Int64
    package var error: KafkaError?
}

extension Producer {
    /// As `serve`, for a caller that has to know where each record stands: the engine does not, and is spared the
    /// topic's name for every record.
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
            tell(
                DeliveryReceipt(
                    id: unsafe UInt64(UInt(bitPattern: message.pointee._private)),
                    partition: TopicPartition(
                        topic: topic ?? "",
                        partition: unsafe message.pointee.partition
                    ),
                    offset: unsafe message.pointee.offset,
                    error: code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code)
                )
            )
        }
    }
}
