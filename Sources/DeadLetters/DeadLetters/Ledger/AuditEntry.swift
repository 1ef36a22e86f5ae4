import Foundation
package import Records
import WireFormats

/// The value of one record of the audit topic: which user did which action, when and why.
///
/// The tool creates the audit topic without a time limit, so that the broker deletes no entry. An entry is
/// meant to hold counts and ids, and no payload and no key; callers leave those out of `selection`.
package struct AuditEntry: Hashable, Sendable {
    /// The kind of action. Its raw value is the word that stands in the audit record.
    package enum Action: String, Hashable, Sendable {
        /// The user had personal data or secrets shown.
        case reveal
        /// The user replayed dead letters.
        case replay
        /// The user replayed one dead letter with another value.
        case edit
        /// The user put dead letters aside for good.
        case discard
        /// The user made discarded dead letters open again.
        case restore
        /// The user exported dead letters as masked CSV or JSON lines.
        case export
        /// The user stopped a replay before its end.
        case stop
        /// The user wrote a note on a group of letters.
        case note
        /// The user said who looks after a group of letters.
        case assign
    }

    /// The action of the user.
    package var action: Action
    /// The name of the user. It is also the key of the record.
    package var by: String
    /// The wall-clock time of the entry, in milliseconds since 1970.
    package var at: Int64
    /// The reason that the user gave; empty for `stop` and `assign`, `masked` for `export`, and the text of a `note`.
    package var because: String
    /// The batch id of the command, as in the ledger; for `stop` that of the stopped replay; empty for
    /// `reveal`, `export`, `note` and `assign`.
    package var batch: String
    /// The user's choice of letters in words, such as the command's filters.
    package var selection: String
    /// Numbers of letters by a word such as `replayed` or `planned`.
    package var counts: [String: Int]
    /// The ids of the letters. `record(to:)` writes the first 100 of them.
    package var letters: [LetterID]
    /// The group that a `note` or an `assign` is about, such as `g-0123456789`; nil for other actions.
    package var group: String?
    /// For `assign`, the name of whoever looks after the group; nil for nobody.
    package var assignee: String?

    /// Creates an entry from its parts and checks none of them; `record(to:)` checks the size.
    package init(
        action: Action,
        by: String,
        at: Int64,
        because: String,
        batch: String,
        selection: String,
        counts: [String: Int],
        letters: [LetterID],
        group: String? = nil,
        assignee: String? = nil
    ) {
        self.action = action
        self.by = by
        self.at = at
        self.because = because
        self.batch = batch
        self.selection = selection
        self.counts = counts
        self.letters = letters
        self.group = group
        self.assignee = assignee
    }
}

extension AuditEntry {
    /// Reads an entry from a record of the audit topic; nil for a value that is no entry or is of a later
    /// version.
    package init?(_ record: InboundRecord) {
        guard let value = record.value else { return nil }
        self.init(json: value)
    }

    /// Reads an entry from a value of the audit topic.
    ///
    /// The result is nil for a value that is no entry, is of a later version, is larger than 64 KiB, or has a
    /// time outside of the years 1970 to 9999. An id that cannot be read is left out.
    package init?(json value: [UInt8]) {
        guard value.count <= AuditValue.bytesLimit,
            let form = try? JSONDecoder().decode(AuditValue.self, from: Data(value)),
            form.version == AuditValue.currentVersion, let action = Action(rawValue: form.action),
            LedgerEntry.times.contains(form.at)
        else { return nil }
        self.init(
            action: action,
            by: form.by,
            at: form.at,
            because: form.because,
            batch: form.batch,
            selection: form.selection,
            counts: form.counts,
            letters: form.letters.compactMap { LetterID($0) },
            group: form.group,
            assignee: form.assignee
        )
    }

    /// Makes the record for the audit topic.
    ///
    /// - Throws: `LedgerEntry.TooLong` if the value is larger than 64 KiB, because no reader would accept it.
    package func record(to topic: String) throws -> OutboundRecord {
        let form = AuditValue(
            action: self.action.rawValue,
            by: self.by,
            at: self.at,
            because: self.because,
            batch: self.batch,
            selection: self.selection,
            counts: self.counts,
            letters: self.letters.prefix(AuditValue.lettersLimit).map(\.description),
            group: self.group,
            assignee: self.assignee
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let value = Array(try encoder.encode(form))
        guard value.count <= AuditValue.bytesLimit else {
            throw LedgerEntry.TooLong(limit: AuditValue.bytesLimit)
        }
        return OutboundRecord(
            topic: topic,
            key: Array(self.by.utf8),
            value: value,
            headers: [RecordHeader("content-type", "application/json")]
        )
    }
}
