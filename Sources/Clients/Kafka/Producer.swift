internal import CRdKafka
internal import Dispatch
package import Records

/// A producer, owned by one thread. No call waits: the owner waits on `descriptor` and then calls `serve`.
///
/// Each record that `send` accepts gets exactly one delivery report, of success or of failure, as long as the
/// owner serves the producer.
@safe package final class Producer {
    let client: Client
    let reports: EventQueue
    let pipe: NotificationPipe
    private var topics: [String: OpaquePointer] = unsafe [:]
    /// The topic of the last record, since the next record mostly goes to the same topic.
    private var lastTopic: (name: String, handle: OpaquePointer)?
    private var isRetired = false

    /// Makes a producer.
    ///
    /// - Parameter properties: librdkafka's own. The producer is idempotent unless they say otherwise.
    /// - Throws: a `KafkaError` that names the first property that librdkafka refuses.
    package init(_ properties: [String: String]) throws(KafkaError) {
        var properties = ["enable.idempotence": "true"].merging(properties) { $1 }
        properties["log.queue"] = "true"
        let events = RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG
        self.client = try Client(RD_KAFKA_PRODUCER, properties, events: events)
        self.pipe = NotificationPipe()
        unsafe self.reports = EventQueue(owning: rd_kafka_queue_get_main(self.client.handle))
        try KafkaError.check(unsafe rd_kafka_set_log_queue(self.client.handle, nil))
        self.reports.announce(on: self.pipe, as: 0)
    }

    deinit {
        unsafe self.topics.values.forEach { unsafe rd_kafka_topic_destroy($0) }
        guard self.isRetired else { return }
        DispatchQueue.global().async { [client = self.client] in withExtendedLifetime(client) {} }
    }

    /// Lets the deinitializer close the client on another thread. Closing waits for librdkafka's own threads,
    /// which would hold up the owner's thread.
    package func retire() { self.isRetired = true }

    /// The descriptor to wait on. It is readable when delivery reports or errors have arrived.
    package var descriptor: Int32 { self.pipe.readEnd }

    /// The number of records that have no delivery report yet.
    package var unreported: Int { Int(unsafe rd_kafka_outq_len(self.client.handle)) }

    /// Copies a record into librdkafka's queue.
    ///
    /// - Parameter id: comes back with the delivery report.
    /// - Throws: the error that librdkafka gives, such as `queueFull` when its queue is at its limit, or
    ///   `messageTooLarge`. Such a record gets no delivery report.
    package func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        let topic = try unsafe self.topic(record.topic)
        let headers = unsafe Self.headers(record.headers)
        let status = unsafe withBytes(of: record.key) { key, keyCount in
            unsafe withBytes(of: record.value) { value, valueCount in
                unsafe crdkafka_produce(
                    self.client.handle,
                    topic,
                    record.partition ?? RD_KAFKA_PARTITION_UA,
                    key,
                    keyCount,
                    value,
                    valueCount,
                    headers,
                    record.timestamp ?? 0,
                    UnsafeMutableRawPointer(bitPattern: UInt(id))
                )
            }
        }
        if status != RD_KAFKA_RESP_ERR_NO_ERROR, let headers = unsafe headers {
            unsafe rd_kafka_headers_destroy(headers)
        }
        try KafkaError.check(status)
    }

    /// Passes on the events since the last call.
    package func serve(_ tell: (ProducerEvent) -> Void) {
        self.pipe.drain { _ in }
        while let event = self.reports.next() {
            switch event.type {
            case RD_KAFKA_EVENT_DR: Self.delivered(event, tell)
            case RD_KAFKA_EVENT_LOG: if let log = event.log { tell(.logged(log)) }
            case RD_KAFKA_EVENT_ERROR:
                if let error = event.error { tell(.failed(self.client.fatalFailure() ?? error)) }
            default: break
            }
        }
    }

    private static func delivered(_ event: borrowing Event, _ tell: (ProducerEvent) -> Void) {
        while let message = unsafe rd_kafka_event_message_next(event.event) {
            let id = unsafe UInt64(UInt(bitPattern: message.pointee._private))
            let code = unsafe message.pointee.err
            guard code != RD_KAFKA_RESP_ERR_NO_ERROR else {
                tell(.reported(id: id, nil))
                continue
            }
            var error = KafkaError(code)
            // The only words that a worker has for a right that was taken away while it runs.
            if error.code == .topicNotAuthorized, let topic = unsafe message.pointee.rkt {
                error.message += unsafe ": '\(String(cString: rd_kafka_topic_name(topic)))'"
            }
            tell(.reported(id: id, error))
        }
    }

    private func topic(_ name: String) throws(KafkaError) -> OpaquePointer {
        if let last = unsafe self.lastTopic, unsafe last.name == name { return unsafe last.handle }
        let topic = try unsafe self.makeTopic(name)
        unsafe self.lastTopic = unsafe (name, topic)
        return unsafe topic
    }

    private func makeTopic(_ name: String) throws(KafkaError) -> OpaquePointer {
        if let topic = unsafe self.topics[name] { return unsafe topic }
        guard let topic = unsafe rd_kafka_topic_new(self.client.handle, name, nil) else {
            throw KafkaError(rd_kafka_last_error())
        }
        unsafe self.topics[name] = topic
        return unsafe topic
    }

    private static func headers(_ headers: [RecordHeader]) -> OpaquePointer? {
        guard !headers.isEmpty else { return nil }
        let list = unsafe rd_kafka_headers_new(headers.count)
        for header in headers {
            unsafe withBytes(of: header.value) { value, count in
                _ = unsafe rd_kafka_header_add(list, header.name, -1, value, count)
            }
        }
        return unsafe list
    }
}

/// An event of a producer.
package enum ProducerEvent: Hashable, Sendable {
    /// The delivery report of a record: the broker has acknowledged it, or librdkafka has given it up because
    /// of this error.
    case reported(id: UInt64, KafkaError?)
    /// An error of the client. Unless the error is fatal, librdkafka is already trying again.
    case failed(KafkaError)
    /// A line of librdkafka's log.
    case logged(ClientLog)
}

/// Lends bytes to C, with nil and empty kept apart. librdkafka reads a nil pointer as null, so an empty array
/// is lent as a valid pointer to no bytes.
private func withBytes<Result>(
    of bytes: [UInt8]?,
    _ body: (UnsafeRawPointer?, Int) -> Result
) -> Result {
    guard let bytes else { return body(nil, 0) }
    guard !bytes.isEmpty else {
        var nothing: UInt8 = 0
        return unsafe withUnsafeBytes(of: &nothing) { unsafe body($0.baseAddress, 0) }
    }
    return unsafe bytes.withUnsafeBytes { unsafe body($0.baseAddress, $0.count) }
}
