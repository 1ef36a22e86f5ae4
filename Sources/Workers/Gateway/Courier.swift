import Kafka
import Records

/// The records of one request, and the task that waits for them.
struct Parcel: Sendable {
    var records: [OutboundRecord]
    /// Gets nil once all records are acknowledged, or the reason why they are not.
    var continuation: CheckedContinuation<RecordPublisher.Refusal?, Never>
}

/// The parcels that are with the producer. Belongs to the thread that owns the producer.
final class Courier {
    /// The fates of the parcels that were done since the last look.
    struct Results {
        /// The number of parcels.
        var count = 0
        /// Whether the cluster took the last one; nil if there was none that tells anything about the cluster.
        var lastSucceeded: Bool?
        /// The words of librdkafka about the last failure.
        var problem = ""
    }

    private struct Delivery {
        var continuation: CheckedContinuation<RecordPublisher.Refusal?, Never>
        var unreported: Int
        var error: KafkaError?
    }

    /// The longest wait for the metadata of the cluster. Reports are late by as much.
    private static let answerLimit = Duration.seconds(1)

    private let producer: Producer
    private var deliveries: [UInt64: Delivery] = [:]
    private var lastID: UInt64 = 0
    private var results = Results()

    init(_ producer: Producer) { self.producer = producer }

    /// The descriptor to wait on.
    var descriptor: Int32 { self.producer.descriptor }

    /// Whether no record is waiting for its report.
    var isEmpty: Bool { self.deliveries.isEmpty }

    /// Gives all records of a parcel to the producer. If one is not accepted, the others after it are not
    /// sent, and the parcel fails.
    func send(_ parcel: Parcel) {
        self.lastID += 1
        let id = self.lastID
        var delivery = Delivery(continuation: parcel.continuation, unreported: 0)
        for record in parcel.records {
            do throws(KafkaError) {
                try self.producer.send(record, id: id)
                delivery.unreported += 1
            } catch {
                delivery.error = error
                break
            }
        }
        if delivery.unreported > 0 { self.deliveries[id] = delivery } else { self.end(delivery) }
    }

    /// Resumes the tasks whose records have been reported.
    ///
    /// - Returns: the fates since the last call.
    /// - Throws: the error that has ended the producer.
    func serve(_ log: (ClientLog) -> Void) throws(KafkaError) -> Results {
        var fatal: KafkaError?
        self.producer.serve { event in
            switch event {
            case .reported(let id, let error): self.reported(id, error)
            case .failed(let error): if error.isFatal { fatal = error }
            case .logged(let line): log(line)
            }
        }
        if let fatal { throw fatal }
        defer { self.results = Results() }
        return self.results
    }

    private func reported(_ id: UInt64, _ error: KafkaError?) {
        guard var delivery = self.deliveries[id] else { return }
        delivery.unreported -= 1
        delivery.error = delivery.error ?? error
        guard delivery.unreported == 0 else { return self.deliveries[id] = delivery }
        self.deliveries[id] = nil
        self.end(delivery)
    }

    private func end(_ delivery: Delivery) {
        self.results.count += 1
        guard let error = delivery.error else {
            self.results.lastSucceeded = true
            return delivery.continuation.resume(returning: nil)
        }
        // The size of a record and a full queue tell nothing about the cluster.
        guard error.code != .messageTooLarge else {
            return delivery.continuation.resume(returning: .tooLarge)
        }
        if error.code != .queueFull {
            self.results.lastSucceeded = false
            self.results.problem = error.message
        }
        delivery.continuation.resume(returning: .unavailable)
    }

    /// Fails all parcels that wait, and closes the producer on another thread.
    func giveUp() {
        for delivery in self.deliveries.values { delivery.continuation.resume(returning: .unavailable) }
        self.deliveries = [:]
        self.producer.retire()
    }

    /// Asks the cluster for its topics, and waits for the answer.
    ///
    /// - Returns: what keeps the records of these topics from being published, as a sentence; nil if nothing
    ///   is known to.
    func problem(with topics: [String], at brokers: String) -> String? {
        do throws(KafkaError) {
            let counts = try self.producer.metadata(atMost: Self.answerLimit).partitionCounts
            let missing = topics.first { counts[$0, default: 0] == 0 }
            return missing.map {
                "The topic '\($0)' does not exist, or this client may not see it; create it, or allow it."
            }
        } catch {
            return "kafka.brokers: no answer from \(brokers): \(error.message)."
        }
    }
}
