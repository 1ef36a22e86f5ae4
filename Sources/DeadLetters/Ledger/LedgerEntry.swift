import Foundation
package import Records

/// What was done about one dead letter: the value of a record of the ledger, whose key is the letter's id.
///
/// The ledger's topic is compacted, so that the last entry of a letter stays for good: what makes sure that nothing is
/// replayed twice. A replay's entry is written in one transaction with the record that is replayed.
package struct LedgerEntry: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, Codable {
        case replayed
        case discarded
    }

    package var letter: LetterID
    package var action: Action
    /// Where the letter lies.
    package var position: LetterPosition
    /// Of this one record, as in the header `dlq.replay_id`; nil for what was discarded.
    package var replay: String?
    /// Of the command that it was a part of.
    package var batch: String
    /// How often the record has been replayed in its life, this time included.
    package var replays: Int
    package var by: String
    package var because: String
    /// Milliseconds since 1970.
    package var at: Int64
    /// The topic that it was replayed to.
    package var target: String?
    /// SHA-256 of the value as it first died, if another was sent.
    package var edited: String?

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
    /// What is read of a value; nobody writes more.
    private static let valueBytesLimit = 64 << 10

    private struct Form: Codable {
        var version = 1
        var action: Action
        var topic: String
        var partition: Int32
        var offset: Int64
        var replay: String?
        var batch: String
        var replays: Int
        var by: String
        var because: String
        var at: Int64
        var target: String?
        var edited: String?
    }

    /// Until the end of the year 9999: what lies outside is no time.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Nil for what is no entry, or one of a later version.
    package init?(_ record: InboundRecord) {
        guard let key = record.key, let letter = LetterID(String(decoding: key, as: UTF8.self)),
            let value = record.value, value.count <= Self.valueBytesLimit,
            let form = try? JSONDecoder().decode(Form.self, from: Data(value)), form.version == 1,
            Self.times.contains(form.at)
        else { return nil }
        self.init(
            letter: letter,
            action: form.action,
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
    }

    /// - Throws: `TooLong` where nobody would read it again, and the letter would be replayed once more.
    package func record(to topic: String) throws -> OutboundRecord {
        let form = Form(
            action: self.action,
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let value = Array(try encoder.encode(form))
        guard value.count <= Self.valueBytesLimit else { throw TooLong(limit: Self.valueBytesLimit) }
        return OutboundRecord(
            topic: topic,
            key: Array("\(self.letter)".utf8),
            value: value,
            headers: [RecordHeader("content-type", "application/json")]
        )
    }
}
