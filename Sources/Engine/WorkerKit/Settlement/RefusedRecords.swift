import Kafka
import ServiceKit

/// The records whose outcome, letter, copy or ticket the producer or the broker has refused, until each is sent
/// again. A refusal costs only time.
struct RefusedRecords: Sendable {
    /// The records that wait, each with the monotonic time of the next try. Some of them have left the state
    /// `resending` since.
    private var waiting = DueQueue<EntryID>()
    /// The reason why the broker refuses records, and since when; nil since the last acknowledgement.
    private(set) var trouble: Trouble?

    var isEmpty: Bool { self.waiting.count == 0 }
    /// The monotonic time of the next try, in nanoseconds; nil if no record waits.
    var nextDue: Int64? { self.waiting.nextDue }

    /// Notes that the broker has refused a record.
    ///
    /// - Returns: Whether the record before was acknowledged, or was refused for another reason.
    mutating func refused(_ error: KafkaError, at now: Moment) -> Bool {
        let isNews = self.trouble?.code != error.code
        self.trouble = Trouble(error, since: self.trouble?.since ?? now.monotonic)
        return isNews
    }

    /// Notes that the broker has acknowledged a record, or that there is nothing to write any more.
    mutating func endTrouble() { self.trouble = nil }

    /// Lets a record wait for its next try.
    ///
    /// - Parameter backoff: The wait, by the number of refusals in a row of the record.
    mutating func resendLater(
        _ id: EntryID,
        _ backoff: Backoff,
        in table: inout RecordTable,
        at now: Moment,
        using random: inout SplitMix64
    ) {
        guard var publication = table[id].state.publication else { return }
        publication.refused()
        table.move(id, to: .resending(publication))
        let delay = backoff.delay(afterFailures: publication.refusals, using: &random)
        self.waiting.add(id, due: now.after(delay))
    }

    /// Removes and returns a record whose wait is over; nil if there is none.
    mutating func popDue(in table: inout RecordTable, at now: Int64) -> EntryID? {
        while let id = self.waiting.popDue(at: now) {
            if table.kind(of: id) == .resending { return id }
        }
        return nil
    }

    /// Forgets all records, because none is in hand any more.
    mutating func removeAll() { self.waiting = DueQueue() }
}
