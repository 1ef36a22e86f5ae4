import Harness
import Kafka
import Records
import WireMessages

/// Every record that was published, with all of its results.
struct Register {
    /// A record with its results so far.
    struct Entry {
        var sample: Sample
        var sentAt: ContinuousClock.Instant
        /// The record's place as `topic/partition/offset`; nil until the broker has acknowledged it.
        var place: String?
        var outcomes: [Sighting] = []
        var letters: [InboundRecord] = []
        /// The time at which the outcome and its dead letter had been read.
        var settledAt: ContinuousClock.Instant?

        var outcome: Sighting? { self.outcomes.first }
        var latency: Duration? { self.settledAt.map { self.sentAt.duration(to: $0) } }

        /// Whether the outcome was read, and also the dead letter that it names.
        var isSettled: Bool {
            guard let outcome, self.place != nil else { return false }
            return outcome.deadLetterID == nil || !self.letters.isEmpty
        }
    }

    /// Reads an outcome; nil if the record is none.
    private let read: (InboundRecord) -> Sighting?
    private(set) var entries: [Entry] = []
    /// The places of records that cannot be understood.
    private(set) var riddles: [String] = []
    /// The index in `entries` for each place.
    private var indices: [String: Int] = [:]
    /// Outcomes and dead letters that were read before the broker's acknowledgement of their record, by
    /// place.
    private var early: [String: [InboundRecord]] = [:]

    /// - Parameter results: the message type of the result topic.
    init(_ results: any WorkerResult.Type = Flotilla_Activation_V1_ActivationResult.self) {
        self.read = { Sighting($0, as: results) }
    }

    /// - Parameter read: reads an outcome; nil if the record is none.
    init(reading read: @escaping (InboundRecord) -> Sighting?) { self.read = read }

    /// The places of records that have results, but were not published here.
    var strangers: [String] { self.early.keys.sorted() }

    /// Registers a record that is about to be sent.
    ///
    /// - Returns: the id to send the record with.
    mutating func published(_ sample: Sample) -> UInt64 {
        self.entries.append(Entry(sample: sample, sentAt: .now))
        return UInt64(self.entries.count)
    }

    /// Registers the broker's acknowledgement, and results that were read before it.
    mutating func delivered(_ receipt: DeliveryReceipt) {
        let index = Int(receipt.id) - 1
        guard self.entries.indices.contains(index), receipt.error == nil else { return }
        self.stands(index, at: "\(receipt.partition.topic)/\(receipt.partition.partition)/\(receipt.offset)")
    }

    /// Takes a record of an input topic, which the gateway may have made of a request.
    mutating func taken(_ record: InboundRecord) {
        let index = self.entries.firstIndex { $0.place == nil && $0.sample.post?.makes(record) == true }
        if let index { self.stands(index, at: "\(record.topic)/\(record.partition)/\(record.offset)") }
    }

    /// Registers the place of a record, and results that were read before.
    private mutating func stands(_ index: Int, at place: String) {
        self.entries[index].place = place
        self.indices[place] = index
        for record in self.early.removeValue(forKey: place) ?? [] { self.arrived(record) }
    }

    /// Takes a record of the result topic or of the dead-letter topic.
    mutating func arrived(_ record: InboundRecord) {
        let sighting = record.topic.hasSuffix(".result") ? self.read(record) : nil
        guard let place = sighting?.place ?? record.deadLetterPlace else {
            self.riddles.append("\(record.topic)/\(record.partition)/\(record.offset)")
            return
        }
        guard let index = self.indices[place] else {
            self.early[place, default: []].append(record)
            return
        }
        if let sighting {
            self.entries[index].outcomes.append(sighting)
        } else {
            self.entries[index].letters.append(record)
        }
        if self.entries[index].settledAt == nil, self.entries[index].isSettled {
            self.entries[index].settledAt = .now
        }
    }

    /// A copy with the same records and without results.
    func blank() -> Register {
        var register = self
        for index in register.entries.indices {
            register.entries[index].outcomes = []
            register.entries[index].letters = []
            register.entries[index].settledAt = nil
        }
        register.riddles = []
        register.early = [:]
        return register
    }
}
