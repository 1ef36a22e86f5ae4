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

    /// Writes records, and returns the times of the brokers that took them.
    ///
    /// - Returns: milliseconds since 1970, each at a moment between the call and its return. There is none of a record that is
    ///   not acknowledged in time, nor of one on which the broker does not put its own time.
    /// - Throws: the error of librdkafka if there can be no such client, or no record is acknowledged in time.
    package func times(writing records: [OutboundRecord]) throws(KafkaError) -> [Int64] {
        let milliseconds = max(1_000, Int64(self.longest / .milliseconds(1)))
        let own = ["linger.ms": "0", "message.timeout.ms": String(milliseconds)]
        let producer = try Producer(self.properties.merging(own) { $1 })
        defer { producer.retire() }
        for record in records { try producer.send(record, id: 0) }
        var times: [Int64] = []
        var (answered, taken) = (0, 0)
        var failure: KafkaError?
        let deadline = ContinuousClock.now + self.longest
        var wait = Wait(on: [producer.descriptor])
        while answered < records.count, failure?.isFatal != true, ContinuousClock.now < deadline {
            wait(atMost: deadline - .now)
            producer.serve { answer in
                answered += 1
                guard answer.error == nil else { return failure = failure ?? answer.error }
                taken += 1
                if let time = answer.appendTime { times.append(time) }
            } _: {
                if $0.isFatal { failure = $0 }
            }
        }
        guard taken == 0 else { return times }
        throw failure ?? KafkaError(code: .timedOut, message: "the brokers did not take a record in time")
    }
}
