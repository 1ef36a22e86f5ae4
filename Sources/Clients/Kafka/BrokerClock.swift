internal import EventThread
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

    /// Writes a record, and returns the time of the broker that took it.
    ///
    /// - Returns: milliseconds since 1970, at a moment between the call and its return; nil if the broker does not put
    ///   its own time on records of the topic.
    /// - Throws: the error of librdkafka if there can be no such client, or the record is not acknowledged in time.
    package func time(writing record: OutboundRecord) throws(KafkaError) -> Int64? {
        let milliseconds = max(1_000, Int64(self.longest / .milliseconds(1)))
        let own = ["linger.ms": "0", "message.timeout.ms": String(milliseconds)]
        let producer = try Producer(self.properties.merging(own) { $1 })
        defer { producer.retire() }
        try producer.send(record, id: 0)
        var answer: DeliveryReceipt?
        var failure: KafkaError?
        let deadline = ContinuousClock.now + self.longest
        var wait = Wait(on: [producer.descriptor])
        while answer == nil, failure == nil, ContinuousClock.now < deadline {
            wait(atMost: deadline - .now)
            producer.serve(receipts: { answer = $0 }) { if $0.isFatal { failure = $0 } }
        }
        if let error = failure ?? answer?.error { throw error }
        guard let answer else {
            throw KafkaError(code: .timedOut, message: "the broker did not take a record in time")
        }
        return answer.appendTime
    }
}
