import EventThread
import Kafka
package import Records

/// The broker has not reported on these records in time.
package struct NotPublished: Error {
    package let records: Int
}

/// Publishes records and waits until the broker has them. Blocks its thread.
///
/// An expectation on a thread without a test belongs to no test, so all trouble is thrown.
package func publish(_ records: [OutboundRecord], with properties: [String: String]) throws {
    let producer = try Producer(properties)
    defer { producer.retire() }
    var wait = Wait(on: [producer.descriptor])
    var refusal: KafkaError?
    func serve() {
        wait(atMost: .milliseconds(50))
        producer.serve { event in
            if case .reported(_, let error?) = event { refusal = refusal ?? error }
        }
    }
    for (place, record) in records.enumerated() {
        try producer.send(record, id: UInt64(place))
        if producer.unreported > 5_000 { serve() }
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while producer.unreported > 0, ContinuousClock.now < deadline { serve() }
    if let refusal { throw refusal }
    if producer.unreported > 0 { throw NotPublished(records: producer.unreported) }
}
