import Foundation
package import Records

/// Who did what, when and why: the value of a record of the audit topic, which nothing is ever taken out of.
///
/// It holds counts and ids, no payload and no key.
package struct AuditEntry: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, Codable {
        /// Somebody had personal data or secrets shown.
        case reveal
        case replay
        case edit
        case discard
        case export
        /// Somebody stopped a replay before its end.
        case stop
    }

    package var action: Action
    package var by: String
    /// Milliseconds since 1970.
    package var at: Int64
    package var because: String
    /// The command's mark, as in the ledger; empty for what changes nothing.
    package var batch: String
    /// What was chosen, in words, such as the command's filters.
    package var selection: String
    /// How many letters it was about, and what became of them, by a word such as `replayed`.
    package var counts: [String: Int]
    /// The ids of the letters, as far as there is room.
    package var letters: [LetterID]

    package init(
        action: Action,
        by: String,
        at: Int64,
        because: String,
        batch: String,
        selection: String,
        counts: [String: Int],
        letters: [LetterID]
    ) {
        self.action = action
        self.by = by
        self.at = at
        self.because = because
        self.batch = batch
        self.selection = selection
        self.counts = counts
        self.letters = letters
    }
}

extension AuditEntry {
    /// Of the ids that one entry holds; the ledger has all of them.
    private static let letterLimit = 100
    private static let valueBytesLimit = 64 << 10

    private struct Form: Codable {
        var version = 1
        var action: Action
        var by: String
        var at: Int64
        var because: String
        var batch: String
        var selection: String
        var counts: [String: Int]
        var letters: [String]
    }

    /// Nil for what is no entry, or one of a later version.
    package init?(_ record: InboundRecord) {
        guard let value = record.value else { return nil }
        self.init(json: value)
    }

    /// From a value of the audit topic.
    package init?(json value: [UInt8]) {
        guard value.count <= Self.valueBytesLimit,
            let form = try? JSONDecoder().decode(Form.self, from: Data(value)), form.version == 1,
            LedgerEntry.times.contains(form.at)
        else { return nil }
        self.init(
            action: form.action,
            by: form.by,
            at: form.at,
            because: form.because,
            batch: form.batch,
            selection: form.selection,
            counts: form.counts,
            letters: form.letters.compactMap { LetterID($0) }
        )
    }

    /// - Throws: `LedgerEntry.TooLong` where nobody would read it again.
    package func record(to topic: String) throws -> OutboundRecord {
        let form = Form(
            action: self.action,
            by: self.by,
            at: self.at,
            because: self.because,
            batch: self.batch,
            selection: self.selection,
            counts: self.counts,
            letters: self.letters.prefix(Self.letterLimit).map(\.description)
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let value = Array(try encoder.encode(form))
        guard value.count <= Self.valueBytesLimit else {
            throw LedgerEntry.TooLong(limit: Self.valueBytesLimit)
        }
        return OutboundRecord(
            topic: topic,
            key: Array(self.by.utf8),
            value: value,
            headers: [RecordHeader("content-type", "application/json")]
        )
    }
}
