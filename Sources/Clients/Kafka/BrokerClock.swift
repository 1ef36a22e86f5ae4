internal import CRdKafka
internal import EventThread
internal import Glibc
package import Records

/// The clock of a broker. A client learns its time from the timestamp that the broker gives a record on a topic with
/// `message.timestamp.type=LogAppendTime`, and sends back with the acknowledgement (Kafka's `ProduceResponse`,
/// `log_append_time_ms`).
package struct BrokerClock {
    private let properties: [String: String]
    private let longest: Duration

    /// - Parameters:
    ///   - properties: librdkafka's properties of a producer without transactions.
    ///   - longest: the longest wait for an acknowledgement.
    package init(_ properties: [String: String], atMost longest: Duration) {
        self.properties = properties
        self.longest = longest
    }

    /// Writes a record, and compares the clock of this machine with that of the broker that takes it.
    ///
    /// - Returns: the milliseconds by which this machine's clock is ahead at least; negative if it may be behind, or if
    ///   the broker was slow. Nil if the broker does not put its own time on records of the topic.
    /// - Throws: the error of librdkafka if there can be no such client, or the record is not acknowledged in time.
    package func lead(writing record: OutboundRecord) throws(KafkaError) -> Int64? {
        let milliseconds = max(1_000, Int64(self.longest / .milliseconds(1)))
        let own = ["linger.ms": "0", "message.timeout.ms": String(milliseconds)]
        let producer = try Producer(self.properties.merging(own) { $1 })
        defer { producer.retire() }
        let sent = Self.wall
        try producer.send(record, id: 0)
        var answer: Result<Void, KafkaError> = .failure(KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT))
        var isReported = false
        let deadline = ContinuousClock.now + self.longest
        var wait = Wait(on: [producer.descriptor])
        while !isReported, ContinuousClock.now < deadline {
            wait(atMost: deadline - .now)
            producer.serve { event in
                guard case .reported(_, let error) = event else { return }
                isReported = true
                answer = error.map { .failure($0) } ?? .success(())
            }
        }
        try answer.get()
        // The broker took the record after it was sent, so its clock then showed no more than this.
        return producer.appendTime.map { sent - $0 }
    }

    private static var wall: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
