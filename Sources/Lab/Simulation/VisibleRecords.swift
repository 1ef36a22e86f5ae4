import Kafka
import Records
import WireFormats
import WorkerKit

/// All that readers of a cluster's topics can see, arranged by the input record that it speaks of.
struct VisibleRecords {
    /// The copies of one record in retry topics.
    struct Copies {
        var places: Set<TopicPartition> = []
        /// The wall-clock time from which the newest copy may be called for.
        var due: Int64 = 0
    }

    /// All records of any output topic, in the order in which they became visible.
    private(set) var published: [OutboundRecord] = []
    /// The outcomes of the input's records since the topic was last made again.
    private(set) var outcomes: [RecordName: [SimulatedOutcome]] = [:]
    /// The dead letters, by their id.
    private(set) var letters: [String: OutboundRecord] = [:]
    /// The places, as `topic/partition/offset`, of records that were copied to a retry topic.
    private var forwarded: Set<String> = []
    private(set) var copies: [RecordName: Copies] = [:]
    /// The records that readers of the parking topic see as parked.
    private(set) var tickets: Set<RecordName> = []
    /// The number of records that handlers sent to topics of their own, by the input record that they come
    /// from.
    private(set) var channelCounts: [String: Int] = [:]
    /// The records without an outcome that the group was made to skip.
    private(set) var skipped: Set<RecordName> = []

    mutating func publish(_ record: OutboundRecord) { self.published.append(record) }

    mutating func add(_ outcome: SimulatedOutcome) {
        self.outcomes[outcome.name, default: []].append(outcome)
        self.skipped.remove(outcome.name)
    }

    mutating func addLetter(_ record: OutboundRecord) {
        if let id = record.text("dlq.id") { self.letters[id] = record }
    }

    mutating func addChannelRecord(_ record: OutboundRecord) {
        let origin = record.headers.last { $0.name == OutboundRecord.channelOriginHeader }?.value ?? []
        self.channelCounts[String(decoding: origin, as: UTF8.self), default: 0] += 1
    }

    /// Adds a copy in a partition of a retry topic.
    mutating func addCopy(_ ticket: RetryTicket, in partition: TopicPartition) {
        let name = RecordName(partition: ticket.partition, offset: ticket.offset)
        self.forwarded.insert(ticket.from)
        self.copies[name, default: Copies()].places.insert(partition)
        self.copies[name]?.due = max(ticket.due, ticket.notBefore)
    }

    mutating func addTicket(_ name: RecordName) { self.tickets.insert(name) }

    mutating func removeTicket(_ name: RecordName) { self.tickets.remove(name) }

    mutating func skip(_ name: RecordName) { self.skipped.insert(name) }

    /// Forgets records of the input that were cut off.
    mutating func forget(_ names: [RecordName]) {
        for name in names { self.outcomes[name] = nil }
        self.tickets.subtract(names)
        self.skipped.subtract(names)
    }

    /// Forgets all records of the input, which was made again.
    mutating func inputMadeAnew() {
        self.outcomes = [:]
        self.tickets = []
        self.skipped = []
    }

    /// Returns whether the record at this place, as `topic/partition/offset`, was copied to a retry topic.
    func wasForwarded(_ place: String) -> Bool { self.forwarded.contains(place) }

    /// A hash of everything that was published. Two runs with different hashes differ.
    var fingerprint: UInt64 {
        self.published.reduce(14_695_981_039_346_656_037) { sum, record in
            (record.value ?? []).reduce(sum) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        }
    }
}
