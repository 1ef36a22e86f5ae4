import Foundation
package import Records
import WireFormats

/// The value of one record of the ledger topic: what a user did about one dead letter. The record's key is
/// the letter's id.
///
/// The ledger topic is compacted, so Kafka keeps the last entry of each letter without a time limit. Before a
/// letter is replayed, its entry is looked up, and that prevents a second replay. The entry of a replay is
/// written in one transaction with the replayed record.
package struct LedgerEntry: Hashable, Sendable {
    /// The action of the user. The raw value is the word that stands in the ledger.
    package enum Action: String, Hashable, Sendable {
        /// The record was published again.
        case replayed
        /// The letter was put aside for good.
        case discarded
    }

    /// The id of the dead letter; it is the key of the record.
    package var letter: LetterID
    /// The action of the user on the letter.
    package var action: Action
    /// The position of the letter in its topic of dead letters.
    package var position: LetterPosition
    /// The id of this one replay, as in the header `dlq.replay_id`; nil for a discarded letter.
    package var replay: String?
    /// The batch id of the command that wrote the entry.
    package var batch: String
    /// How often the record has been replayed in its life, this time included.
    package var replays: Int
    /// The name of the user.
    package var by: String
    /// The reason that the user gave.
    package var because: String
    /// The wall-clock time of the entry, in milliseconds since 1970.
    package var at: Int64
    /// The topic that the record was replayed to; nil for a discarded letter.
    package var target: String?
    /// The place of the replayed record, in `target`; nil for a discarded letter, in entries of earlier versions, and if the
    /// broker did not tell the place.
    package var sentTo: LetterPosition?
    /// The SHA-256 of the value before its first edit, in hexadecimal digits; nil if no replay has changed
    /// the value.
    package var edited: String?

    /// Creates an entry from its parts and checks none of them; `record(to:)` checks the size.
    package init(
        letter: LetterID,
        action: Action,
        position: LetterPosition,
        replay: String?,
        batch: String,
        replays: Int,
        by: String,
        because: String,
        at: Int64,
        target: String?,
        edited: String?
    ) {
        self.letter = letter
        self.action = action
        self.position = position
        self.replay = replay
        self.batch = batch
        self.replays = replays
        self.by = by
        self.because = because
        self.at = at
        self.target = target
        self.edited = edited
    }
}

extension LedgerEntry {
    /// The times that are accepted, in milliseconds since 1970: until the end of the year 9999.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Reads an entry from a record of the ledger.
    ///
    /// The result is nil for a key that is not the id of a letter, and for a value that is no entry, is of a
    /// later version, is larger than 64 KiB, or has a time outside of `times`.
    package init?(_ record: InboundRecord) {
        guard let key = record.key, let letter = LetterID(String(decoding: key, as: UTF8.self)),
            let value = record.value, value.count <= LedgerValue.bytesLimit,
            let form = try? JSONDecoder().decode(LedgerValue.self, from: Data(value)),
            form.version == LedgerValue.currentVersion, let action = Action(rawValue: form.action),
            Self.times.contains(form.at)
        else { return nil }
        self.init(
            letter: letter,
            action: action,
            position: LetterPosition(topic: form.topic, partition: form.partition, offset: form.offset),
            replay: form.replay,
            batch: form.batch,
            replays: form.replays,
            by: form.by,
            because: form.because,
            at: form.at,
            target: form.target,
            edited: form.edited
        )
        if let target = form.target, let partition = form.targetPartition, let offset = form.targetOffset {
            self.sentTo = LetterPosition(topic: target, partition: partition, offset: offset)
        }
    }

    /// Makes the record that takes back the entry of a letter: a tombstone. The letter is open again then.
    static func withdrawal(of letter: LetterID, to topic: String) -> OutboundRecord {
        OutboundRecord(topic: topic, key: Array("\(letter)".utf8), value: nil)
    }

    /// Makes the record for the ledger topic.
    ///
    /// - Throws: `TooLong` if the value is larger than 64 KiB: no reader would accept the entry, and the
    ///   letter would be replayed a second time.
    package func record(to topic: String) throws -> OutboundRecord {
        var form = LedgerValue(
            action: self.action.rawValue,
            topic: self.position.topic,
            partition: self.position.partition,
            offset: self.position.offset,
            replay: self.replay,
            batch: self.batch,
            replays: self.replays,
            by: self.by,
            because: self.because,
            at: self.at,
            target: self.target,
            edited: self.edited
        )
        form.targetPartition = self.sentTo?.partition
        form.targetOffset = self.sentTo?.offset
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let value = Array(try encoder.encode(form))
        guard value.count <= LedgerValue.bytesLimit else { throw TooLong(limit: LedgerValue.bytesLimit) }
        return OutboundRecord(
            topic: topic,
            key: Array("\(self.letter)".utf8),
            value: value,
            headers: [RecordHeader("content-type", "application/json")]
        )
    }
}
