import Foundation
import WireFormats

/// One action of a person with the dead-letter tool, from the topic `dead-letters.audit`.
public struct DeadLetterAuditEntry: Hashable, Sendable {
    /// The topic's name where no setting says otherwise.
    public static let topic = "dead-letters.audit"

    /// `reveal`, `replay`, `edit`, `discard`, `restore`, `export`, `stop`, `note` or `assign`. A reader must
    /// expect more.
    public var action: String
    /// The person's name.
    public var by: String
    /// The time of the action, in milliseconds since 1970.
    public var atMS: Int64
    /// The reason that the person gave, or the text of a note.
    public var because: String
    /// The id of the command, as in the ledger; empty where the ledger has no entry.
    public var batch: String
    /// The person's choice of letters in words.
    public var selection: String
    /// Numbers of letters by a word such as `replayed`.
    public var counts: [String: Int]
    /// The ids of the letters, at most 100; the ledger has all of them.
    public var letterIDs: [String]
    /// The group that a `note` or an `assign` is about; nil for other actions.
    public var group: String?
    /// The name of the person who looks after the group after an `assign`; nil for nobody.
    public var assignee: String?

    /// Reads an entry; nil for a record that is no entry or is of a later version.
    public init?(_ record: Record) {
        guard let value = record.value, value.count <= AuditValue.bytesLimit,
            let entry = try? JSONDecoder().decode(AuditValue.self, from: Data(value)),
            entry.version == AuditValue.currentVersion
        else { return nil }
        self.action = entry.action
        self.by = entry.by
        self.atMS = entry.at
        self.because = entry.because
        self.batch = entry.batch
        self.selection = entry.selection
        self.counts = entry.counts
        self.letterIDs = entry.letters
        self.group = entry.group
        self.assignee = entry.assignee
    }
}
