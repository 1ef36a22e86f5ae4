import Kafka
import Records

/// The records of one request, and whoever waits for them.
struct Parcel: Sendable {
    /// The topic of all records.
    var topic: String
    var records: [OutboundRecord]
    /// The monotonic time at which they were accepted.
    var acceptedAt: Int64
    /// Whether they were accepted to find out whether the topic takes records again.
    var isProbe: Bool
    /// Is called with nil once all records are acknowledged, or with the reason why they are not.
    var whenDone: @Sendable (RecordPublisher.Refusal?) -> Void
}

/// The parcels that are with the producer. Belongs to the thread that owns the producer.
final class Courier {
    /// The fates of the parcels of a topic that were done since the last look.
    struct Result {
        /// The number of probes.
        var probes = 0
        /// Whether the records of any parcel were acknowledged.
        var isAcknowledged = false
        /// librdkafka's words about the record that the cluster did not take, and the monotonic time at which it was
        /// accepted; of several, the one that was accepted last.
        var failure: (words: String, acceptedAt: Int64)?
    }

    private struct Delivery {
        var topic: String
        var acceptedAt: Int64
        var isProbe: Bool
        var whenDone: @Sendable (RecordPublisher.Refusal?) -> Void
        var unreported = 0
        var error: KafkaError?
    }

    private let producer: Producer
    private var deliveries: [UInt64: Delivery] = [:]
    private var lastID: UInt64 = 0
    private var results: [String: Result] = [:]

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
        var delivery = Delivery(
            topic: parcel.topic,
            acceptedAt: parcel.acceptedAt,
            isProbe: parcel.isProbe,
            whenDone: parcel.whenDone
        )
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

    /// Tells those who wait for records that have been reported.
    ///
    /// - Returns: the fates since the last call, by topic.
    /// - Throws: the error that has ended the producer.
    func serve(_ log: (ClientLog) -> Void) throws(KafkaError) -> [String: Result] {
        var fatal: KafkaError?
        self.producer.serve { event in
            switch event {
            case .reported(let id, let error): self.reported(id, error)
            case .failed(let error): if error.isFatal { fatal = error }
            case .logged(let line): log(line)
            }
        }
        if let fatal { throw fatal }
        defer { self.results = [:] }
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
        var result = self.results[delivery.topic] ?? Result()
        if delivery.isProbe { result.probes += 1 }
        var refusal: RecordPublisher.Refusal?
        switch delivery.error {
        case nil: result.isAcknowledged = true
        case let error?:
            refusal = error.code == .messageTooLarge ? .tooLarge : .unavailable
            // The size of a record and a full queue tell nothing about the cluster.
            let isOurs = error.code == .messageTooLarge || error.code == .queueFull
            if !isOurs, delivery.acceptedAt >= result.failure?.acceptedAt ?? .min {
                result.failure = (error.message, delivery.acceptedAt)
            }
        }
        self.results[delivery.topic] = result
        delivery.whenDone(refusal)
    }

    /// Fails all parcels that wait, and closes the producer on another thread.
    func giveUp() {
        for delivery in self.deliveries.values { delivery.whenDone(.unavailable) }
        self.deliveries = [:]
        self.producer.retire()
    }

    /// Asks the cluster for its topics, and waits for the answer. Reports are late by as much.
    ///
    /// - Returns: for each of these topics that the cluster does not have what keeps its records from being published, as
    ///   a sentence.
    /// - Throws: if there is no answer in time.
    func absences(of topics: [String], atMost longest: Duration) throws(KafkaError) -> [String: String] {
        let counts = try self.producer.metadata(atMost: longest).partitionCounts
        let missing = topics.filter { counts[$0, default: 0] == 0 }
        return Dictionary(uniqueKeysWithValues: missing.map { ($0, Self.absence(of: $0)) })
    }

    private static func absence(of topic: String) -> String {
        "The topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
    }
}
