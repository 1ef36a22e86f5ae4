import DeadLetters
import Kafka
import Records
import ServiceKit
import WireFormats
import WorkerKit

/// Reads events from records of a worker's topics.
struct LifeReader {
    /// The use that a worker makes of a topic, as far as it tells of records.
    enum Role: String, Hashable, Sendable {
        case input
        case due
        case result
        case letters = "dead-letter"
        case retry
        case parking
        case ledger
    }

    let clusterID: String
    /// The topic of the input, whose records parking tickets stand for.
    let input: String
    /// Makes the marks of keys.
    let mark: KeyedMark

    /// Returns the event that a record tells; nil if it tells none, for example because a mirror copied it.
    func event(_ record: InboundRecord, of role: Role) -> LifeEvent? {
        var event = LifeEvent(
            kind: .published,
            place: RecordPlace(record),
            subject: RecordPlace(record),
            origin: Self.origin(record),
            letter: nil,
            keyMark: record.key.map { self.mark.text($0) },
            at: record.timestamp
        )
        switch role {
        case .input:
            if let letter = Self.text(record.header(ReplayHeader.letterID)) {
                event.kind = .replayed(of: letter)
            }
        case .due:
            event.kind = .passedOn
            event.subject = event.origin
        case .result:
            guard let outcome = RecordOutcome(record) else { return nil }
            event.subject = RecordPlace(
                topic: outcome.topic,
                partition: outcome.partition,
                offset: outcome.offset
            )
            event.letter = outcome.deadLetterID
            event.at = event.at ?? outcome.settledAt
            event.kind = .outcome(
                fate: outcome.fate,
                reason: outcome.reasonCode,
                attempts: outcome.attempts
            )
        case .letters: return self.letter(record, event)
        case .retry:
            guard let ticket = RetryTicket(record.headers) else { return nil }
            event.subject = RecordPlace(
                topic: ticket.topic,
                partition: ticket.partition,
                offset: ticket.offset
            )
            event.kind = .retried(reason: ticket.reason, attempts: ticket.attempts, due: ticket.due)
        case .parking: return self.ticket(record, event)
        case .ledger:
            guard let entry = LedgerEntry(record) else { return nil }
            event.subject = nil
            event.letter = "\(entry.letter)"
            event.keyMark = nil
            event.at = entry.at
            event.kind = entry.action == .discarded ? .discarded(by: entry.by) : .ordered(by: entry.by)
        }
        return event
    }

    private func letter(_ record: InboundRecord, _ event: LifeEvent) -> LifeEvent? {
        let facts = DeadLetterFacts(HeaderBlock(record.headers))
        guard let topic = facts.sourceTopic, let partition = facts.sourcePartition,
            let offset = facts.sourceOffset
        else { return nil }
        var event = event
        event.subject = RecordPlace(topic: topic, partition: partition, offset: offset)
        event.letter = facts.claimedID
        event.kind = .letter(
            kind: facts.kind,
            reason: facts.reason,
            replayable: facts.replayable?.rawValue
        )
        return event
    }

    private func ticket(_ record: InboundRecord, _ event: LifeEvent) -> LifeEvent? {
        let partition = TopicPartition(topic: self.input, partition: record.partition)
        var event = event
        // The key of a ticket is an offset.
        event.keyMark = nil
        switch ParkingTicket.line(record, at: PartitionMark(clusterID: self.clusterID, partition)) {
        case .ticket(let ticket):
            event.subject = RecordPlace(
                topic: self.input,
                partition: record.partition,
                offset: ticket.offset
            )
            event.kind = .parked(room: ticket.room.text)
        case .end(let offset):
            event.subject = RecordPlace(topic: self.input, partition: record.partition, offset: offset)
            event.kind = .unparked
        case .otherPlace, .unreadable: return nil
        }
        return event
    }

    /// Returns the publisher's record that this one was made of.
    private static func origin(_ record: InboundRecord) -> RecordPlace? {
        self.text(record.header(RecordOrigin.header)).flatMap { RecordPlace($0) }
    }

    private static func text(_ bytes: [UInt8]?) -> String? {
        guard let bytes, bytes.count <= RecordOrigin.bytesLimit else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
