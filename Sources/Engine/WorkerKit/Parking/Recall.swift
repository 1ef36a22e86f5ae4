import Kafka
import Records
import ServiceKit

/// The tickets of the partitions that were just assigned, as far as they have been read.
///
/// The reading time depends on the number of tickets, not on the size of the parked records.
struct Recall: Sendable {
    /// The end of each partition of the parking topic that is read; nil until the cluster has told.
    private(set) var ends: [TopicPartition: Int64]?
    /// The mark that the tickets of each partition of the parking topic have to name.
    private var marks: [TopicPartition: PartitionMark] = [:]
    /// The tickets that are not taken back, by their partition of the parking topic and the offset that they
    /// stand for.
    private var tickets: [TopicPartition: [Int64: ParkingTicket]] = [:]
    /// The monotonic time before which reading does not begin, or is not tried again, in nanoseconds.
    private(set) var retryAt: Int64
    /// The number of tickets of another cluster, topic or partition, and of records that are no tickets.
    private(set) var strangers = 0
    /// The reason why the tickets cannot be read; nil if they can.
    private(set) var trouble: Trouble?

    /// - Parameter start: The monotonic time before which reading does not begin, in nanoseconds.
    init(notBefore start: Int64 = .min) { self.retryAt = start }

    /// Begins to take in tickets.
    ///
    /// - Parameters:
    ///   - ends: The ends of the partitions of the parking topic that hold tickets.
    ///   - marks: The mark of the input partition, by its partition of the parking topic.
    mutating func begin(to ends: [TopicPartition: Int64], marks: [TopicPartition: PartitionMark]) {
        self.ends = ends
        self.marks = marks
    }

    /// Takes in a record of the parking topic: a ticket, or the tombstone that takes one back.
    mutating func take(_ record: InboundRecord) {
        self.trouble = nil
        let partition = TopicPartition(topic: record.topic, partition: record.partition)
        guard let mark = self.marks[partition] else { return }
        switch ParkingTicket.line(record, at: mark) {
        case .ticket(let ticket): self.tickets[partition, default: [:]][ticket.offset] = ticket
        case .end(let offset): self.tickets[partition]?[offset] = nil
        case .otherPlace, .unreadable: self.strangers += 1
        }
    }

    /// Returns whether every partition is read to the end that it had when the reading began.
    ///
    /// - Parameter readEnd: Returns the offset up to which a partition has been read; nil if nothing has.
    func isRead(upTo readEnd: (TopicPartition) -> Int64?) -> Bool {
        guard let ends = self.ends else { return false }
        return ends.allSatisfy { partition, end in (readEnd(partition) ?? -1) >= end }
    }

    /// Returns the parked records whose tickets lie in a partition of the parking topic; nil if there are none.
    ///
    /// - Parameter end: Returns the monotonic time at which the life of a record with this timestamp is over.
    func parked(in place: TopicPartition, end: (_ timestamp: Int64?) -> Int64 = { _ in .max })
        -> ParkedRecords?
    {
        guard let tickets = self.tickets[place], !tickets.isEmpty else { return nil }
        return ParkedRecords(tickets.values, end: end)
    }

    /// Notes that the tickets cannot be read now. Reading is tried again a second later.
    ///
    /// - Returns: Whether they could be read before.
    mutating func failed(_ error: KafkaError, at now: Moment) -> Bool {
        let isNews = self.trouble == nil
        self.trouble = Trouble(error, since: self.trouble?.since ?? now.monotonic)
        self.retryAt = now.after(.seconds(1))
        return isNews
    }
}
