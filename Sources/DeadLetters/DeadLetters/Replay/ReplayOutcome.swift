package import Records
import WireFormats

/// The outcome of a replayed record, read from its worker's result topic.
package struct ReplayOutcome: Hashable, Sendable {
    /// The replay that the record belongs to: 1 to 128 visible ASCII characters.
    package var replayID: String
    /// The record's fate: one of `Outcome.Fate`, or a word of a newer worker.
    package var fate: String
    /// The code of the reason, at most 120 visible ASCII characters; nil if the outcome has none.
    package var reasonCode: String?
    /// The id of the dead letter that the replayed record became; nil unless it was dead-lettered again.
    package var deadLetterID: String?
    /// The time at which the record was settled, in wall-clock milliseconds since 1970.
    package var settledAt: Int64?
    /// The record that the outcome is about. It need not be the one that the replay sent.
    var record: SettledRecord

    /// Reads a record of a result topic. Nil if it is not the outcome of a replayed record, or cannot be
    /// read.
    package init?(_ record: borrowing InboundRecord) {
        guard let id = record.replayHeader?.value, let outcome = RecordOutcome(record),
            outcome.topic.utf8.count <= SettledRecord.topicBytesLimit
        else { return nil }
        self.replayID = String(decoding: id, as: UTF8.self)
        self.fate = outcome.fate
        self.reasonCode = outcome.reasonCode
        self.deadLetterID = outcome.deadLetterID
        self.settledAt = outcome.settledAt
        self.record = SettledRecord(
            topic: outcome.topic,
            partition: outcome.partition,
            offset: outcome.offset,
            origin: record.header(RecordOrigin.header),
            pushOrigin: record.header(RecordOrigin.pushHeader)
        )
    }
}
