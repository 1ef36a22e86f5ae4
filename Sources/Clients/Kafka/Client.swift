internal import CRdKafka

/// A librdkafka handle, of a consumer or a producer. It is closed when the last reference to this object
/// goes.
///
/// librdkafka accepts calls with the handle from any thread. The owner of the client decides which thread
/// makes which call.
@safe final class Client: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    /// Makes a client.
    ///
    /// - Parameter events: the kinds of events that the client shall produce, as librdkafka's
    ///   `RD_KAFKA_EVENT_` bits.
    init(_ type: rd_kafka_type_t, _ properties: [String: String], events: Int32) throws(KafkaError) {
        let settings = try ClientSettings(properties, events: events)
        var message = [CChar](repeating: 0, count: 512)
        let conf = unsafe settings.release()
        guard let handle = unsafe rd_kafka_new(type, conf, &message, message.count) else {
            unsafe rd_kafka_conf_destroy(conf)
            let text = message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
            throw KafkaError(
                code: .invalidConfiguration,
                message: String(decoding: text, as: UTF8.self),
                isFatal: true
            )
        }
        unsafe self.handle = handle
        if let user = properties["sasl.username"] { try SASLCredentials.clientMade(self, user: user) }
    }

    deinit { unsafe rd_kafka_destroy(self.handle) }

    /// Returns the fatal error that ended this client, or nil. librdkafka reports a fatal error as an event,
    /// and gives its own code only here.
    func fatalFailure() -> KafkaError? {
        var message = [CChar](repeating: 0, count: 512)
        let code = unsafe rd_kafka_fatal_error(self.handle, &message, message.count)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        let text = message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return KafkaError(
            code: .init(code),
            message: String(decoding: text, as: UTF8.self),
            isFatal: true
        )
    }

    /// Sends an admin request and waits for its answer, at most this long.
    ///
    /// - Throws: the error of the whole request, or `timedOut`. The answer may still hold errors of single
    ///   topics.
    func answer(atMost longest: Duration, to request: (OpaquePointer) -> Void) throws(KafkaError)
        -> Event
    {
        guard let queue = unsafe rd_kafka_queue_new(self.handle) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__FAIL)
        }
        defer { unsafe rd_kafka_queue_destroy(queue) }
        unsafe request(queue)
        let milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)))
        guard let event = unsafe rd_kafka_queue_poll(queue, milliseconds) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
        }
        let owned = unsafe Event(owning: event)
        if let error = owned.error { throw error }
        return owned
    }
}

/// A queue of librdkafka that writes to a pipe when it has an event after it had none.
@safe final class EventQueue {
    let queue: OpaquePointer

    init(owning queue: OpaquePointer) { unsafe self.queue = queue }

    deinit {
        unsafe rd_kafka_queue_io_event_enable(self.queue, -1, nil, 0)
        unsafe rd_kafka_queue_destroy(self.queue)
    }

    /// Makes the queue write `tag` to the pipe at each change from empty to not empty, but only once until
    /// the queue is next polled.
    func announce(on pipe: NotificationPipe, as tag: UInt32) {
        // The tag is little-endian on the pipe, whatever the byte order of the machine.
        var tag = tag.littleEndian
        unsafe rd_kafka_queue_io_event_enable(self.queue, pipe.writeEnd, &tag, 4)
    }

    /// Returns the next event, or nil if there is none. Never waits.
    func next() -> Event? {
        guard let event = unsafe rd_kafka_queue_poll(self.queue, 0) else { return nil }
        return unsafe Event(owning: event)
    }
}

/// One event of librdkafka, destroyed with this value. Pointers into an event are valid only as long as the
/// value is.
@safe struct Event: ~Copyable {
    let event: OpaquePointer

    init(owning event: OpaquePointer) { unsafe self.event = event }

    deinit { unsafe rd_kafka_event_destroy(self.event) }

    var type: Int32 { unsafe rd_kafka_event_type(self.event) }

    var error: KafkaError? {
        let code = unsafe rd_kafka_event_error(self.event)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        let text = unsafe rd_kafka_event_error_string(self.event)
        return KafkaError(
            code: .init(code),
            message: unsafe text.map { unsafe String(cString: $0) } ?? "",
            isFatal: unsafe rd_kafka_event_error_is_fatal(self.event) != 0
        )
    }

    var log: ClientLog? {
        var facility: UnsafePointer<CChar>?
        var text: UnsafePointer<CChar>?
        var level: Int32 = 0
        guard unsafe rd_kafka_event_log(self.event, &facility, &text, &level) == 0 else { return nil }
        return ClientLog(
            level: Int(level),
            facility: unsafe facility.map { unsafe String(cString: $0) } ?? "",
            text: unsafe text.map { unsafe String(cString: $0) } ?? ""
        )
    }
}

/// A log line of librdkafka, handed over as an event instead of being written to the standard error stream.
package struct ClientLog: Hashable, Sendable {
    /// The level as syslog counts it: 0 is an emergency, 7 is debugging.
    package var level: Int
    /// librdkafka's short name of the place in its code, such as `FAIL`.
    package var facility: String
    /// The message, without level and facility.
    package var text: String
}
