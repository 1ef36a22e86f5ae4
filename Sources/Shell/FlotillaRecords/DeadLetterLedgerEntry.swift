import Foundation
import WireFormats

/// One action of the dead-letter tool on one dead letter, from the compacted topic `dead-letters.ledger`. The
/// last entry of a letter counts; after a record without a value the letter is open again.
public struct DeadLetterLedgerEntry: Hashable, Sendable {
    /// The topic's name where no setting says otherwise.
    public static let topic = "dead-letters.ledger"

    /// The letter's id, as `DeadLetter.id`.
    public var letterID: String
    /// `replayed` or `discarded`. A reader must expect more.
    public var action: String
    /// The letter's topic.
    public var letterTopic: String
    /// The letter's partition.
    public var letterPartition: Int32
    /// The letter's offset.
    public var letterOffset: Int64
    /// The id of the replay, as in the header `dlq.replay_id` of the replayed record; nil for a discarded letter.
    public var replayID: String?
    /// The topic that the record was replayed to; nil for a discarded letter.
    public var target: String?
    /// The number of replays in the record's life, this one included.
    public var replays: Int
    /// The SHA-256 of the value before its first edit, in hexadecimal digits; nil if no replay has changed the value.
    public var editedFrom: String?
    /// The id of the command, which all its entries have.
    public var batch: String
    /// The person's name.
    public var by: String
    /// The reason that the person gave.
    public var because: String
    /// The time of the entry, in milliseconds since 1970.
    public var atMS: Int64

    /// Reads an entry; nil for a record without a value, and for one that is no entry or is of a later version.
    public init?(_ record: Record) {
        guard let key = record.key, let value = record.value, value.count <= LedgerValue.bytesLimit,
            let entry = try? JSONDecoder().decode(LedgerValue.self, from: Data(value)),
            entry.version == LedgerValue.currentVersion
        else { return nil }
        self.letterID = String(decoding: key, as: UTF8.self)
        self.action = entry.action
        self.letterTopic = entry.topic
        self.letterPartition = entry.partition
        self.letterOffset = entry.offset
        self.replayID = entry.replay
        self.target = entry.target
        self.replays = entry.replays
        self.editedFrom = entry.edited
        self.batch = entry.batch
        self.by = entry.by
        self.because = entry.because
        self.atMS = entry.at
    }
}
