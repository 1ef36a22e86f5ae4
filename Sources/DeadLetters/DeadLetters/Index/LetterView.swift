/// A dead letter as the index knows it: no payload, no key, no message.
package struct LetterView: Hashable, Sendable {
    /// The id of the letter.
    package var id: LetterID
    /// The position of the copy of the letter that the query has found.
    package var position: LetterPosition
    /// The group that the letter belongs to.
    package var group: LetterGroup
    /// The mark of the letter's group, `g-…`.
    package var mark: String
    /// The state by the ledger and by the outcome of the latest replay.
    package var state: LetterState
    /// The time at which the letter was written, in milliseconds since 1970.
    package var at: Int64
    /// The time at which the record first failed, in milliseconds since 1970; nil if the letter does not say.
    package var first: Int64?
    /// The mark that stands for the record's key; nil for a record without a key.
    package var keyMark: String?
    /// The position of the record that died; nil if the letter does not name all of it.
    package var source: LetterPosition?
    /// The topic of the record that died; some letters name nothing else of its position.
    package var sourceTopic: String?
    /// How often the worker tried to handle the record; nil if the letter does not say.
    package var attempts: Int?
    /// The HTTP status of the upstream's last answer; nil if the letter does not have one.
    package var status: Int?
    /// The size of the letter's value in bytes; nil for a tombstone.
    package var bytes: Int?
    /// How often the record had been replayed before it became this letter; 0 if the ledger does not know the
    /// replay that the letter's headers name.
    package var replays: Int
    /// How often the record has been replayed by the ledger's latest entry about this letter; 0 without an entry.
    package var ledgerReplays = 0
    /// The word by which the letters of the group say whether a replay can help: `yes`, `after_fix` or `no`;
    /// nil if they do not say. It is taken from the first letter of the group that was read.
    package var replayable: String?

    /// How often the record has been replayed, before it became this letter and since.
    package var allReplays: Int { max(self.replays, self.ledgerReplays) }
}
