import Kafka
import Records
import WireMessages

/// Every record that was published, and everything that came of it.
struct Register {
    struct Entry {
        var specimen: Specimen
        var sentAt: ContinuousClock.Instant
        /// `topic/partition/offset`; nil until the broker has it.
        var place: String?
        var outcomes: [Sighting] = []
        var letters: [InboundRecord] = []
        var settledAt: ContinuousClock.Instant?

        var outcome: Sighting? { self.outcomes.first }
        var latency: Duration? { self.settledAt.map { self.sentAt.duration(to: $0) } }

        /// Whether there is an outcome, and the dead letter that it names.
        var isSettled: Bool {
            guard let outcome, self.place != nil else { return false }
            return outcome.deadLetterID == nil || !self.letters.isEmpty
        }
    }

    private let results: any WorkerResult.Type
    private(set) var entries: [Entry] = []
    /// What was read in the topics and cannot be understood.
    private(set) var riddles: [String] = []
    private var indices: [String: Int] = [:]
    /// Outcomes and dead letters that came before the broker's word on where their record stands.
    private var early: [String: [InboundRecord]] = [:]

    /// - Parameter results: what a value of the result topic is.
    init(_ results: any WorkerResult.Type = Flotilla_Activation_V1_ActivationResult.self) {
        self.results = results
    }

    /// Where records stand that nobody here has published, and that something was said of.
    var strangers: [String] { self.early.keys.sorted() }

    /// - Returns: the number to send the record with.
    mutating func published(_ specimen: Specimen) -> UInt64 {
        self.entries.append(Entry(specimen: specimen, sentAt: .now))
        return UInt64(self.entries.count)
    }

    mutating func delivered(_ receipt: DeliveryReceipt) {
        let index = Int(receipt.id) - 1
        guard self.entries.indices.contains(index), receipt.error == nil else { return }
        let place = "\(receipt.partition.topic)/\(receipt.partition.partition)/\(receipt.offset)"
        self.entries[index].place = place
        self.indices[place] = index
        for record in self.early.removeValue(forKey: place) ?? [] { self.arrived(record) }
    }

    /// Takes a record of the result topic or of the dead-letter topic.
    mutating func arrived(_ record: InboundRecord) {
        let sighting = record.topic.hasSuffix(".result") ? Sighting(record, as: self.results) : nil
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

    /// The same records, and nothing read yet.
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
