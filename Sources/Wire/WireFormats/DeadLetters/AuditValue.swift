/// The value of a record of `dead-letters.audit`, as JSON: what a person did with the dead-letter tool. The record's
/// key is the person's name.
package struct AuditValue: Codable, Hashable, Sendable {
    /// The version of the format. A reader takes no other one.
    package static let currentVersion = 1
    /// The largest value in bytes that is written or read.
    package static let bytesLimit = 64 << 10
    /// The most ids of letters in one value. The ledger has all of them.
    package static let lettersLimit = 100

    package var version = Self.currentVersion
    /// `reveal`, `replay`, `edit`, `discard`, `restore`, `export`, `stop`, `note` or `assign`.
    package var action: String
    package var by: String
    /// Milliseconds since 1970.
    package var at: Int64
    package var because: String
    /// The id of the command, as in the ledger; empty where the ledger has no entry.
    package var batch: String
    /// The person's choice of letters in words.
    package var selection: String
    /// Numbers of letters by a word such as `replayed`.
    package var counts: [String: Int]
    /// The ids of the first letters.
    package var letters: [String]
    /// The group of a `note` or an `assign`.
    package var group: String?
    /// The name of the person who looks after the group after an `assign`; nil for nobody.
    package var assignee: String?

    package init(
        action: String,
        by: String,
        at: Int64,
        because: String,
        batch: String,
        selection: String,
        counts: [String: Int],
        letters: [String],
        group: String?,
        assignee: String?
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
