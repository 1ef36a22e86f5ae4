import EventThread
import Kafka
import Records

/// Writes single records to the audit topic and waits until the broker has acknowledged each.
///
/// The caller does what it announces only after that, so that no action lacks its entry. Belongs to one
/// thread.
final class AuditWriter {
    private let producer: Producer
    private var wait: Wait
    private let patience: Duration

    /// Makes a producer whose records fail after `settings.patience` without an acknowledgement.
    ///
    /// - Throws: `KafkaError` if librdkafka does not accept the settings.
    init(_ settings: DeadLetterSettings) throws {
        var properties = settings.properties
        properties["message.timeout.ms"] = String(Int64(settings.patience / .milliseconds(1)))
        self.producer = try Producer(properties)
        self.wait = Wait(on: [self.producer.descriptor])
        self.patience = settings.patience + .seconds(1)
    }

    deinit { self.producer.retire() }

    /// Sends a record and waits until the broker has acknowledged it.
    ///
    /// - Throws: `KafkaError` if the broker refuses the record, or has not acknowledged it within
    ///   `settings.patience` and one second.
    func write(_ record: OutboundRecord) throws {
        try self.producer.send(record, id: 1)
        let deadline = ContinuousClock.now + self.patience
        var answer: Result<Void, KafkaError>?
        while answer == nil {
            guard ContinuousClock.now < deadline else {
                throw KafkaError(code: .timedOut, message: "the audit trail could not be written")
            }
            self.wait(atMost: .milliseconds(200))
            self.producer.serve { event in
                switch event {
                case .reported(_, let error): answer = error.map { .failure($0) } ?? .success(())
                case .failed(let error) where error.isFatal: answer = .failure(error)
                case .failed, .logged: break
                }
            }
        }
        try answer?.get()
    }
}
