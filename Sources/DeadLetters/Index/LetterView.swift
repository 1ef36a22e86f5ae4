/// A dead letter as the index knows it.
package struct LetterView: Hashable, Sendable {
    package var id: LetterID
    package var position: LetterPosition
    package var group: LetterGroup
    /// Of its group.
    package var mark: String
    package var state: LetterState
    /// When it was written, and when its record first failed: milliseconds since 1970.
    package var at: Int64
    package var first: Int64?
    /// Stands for the key; nil for a record without one.
    package var keyMark: String?
    /// Where the dead record stood.
    package var source: LetterPosition?
    /// The topic alone, which is all that some letters tell.
    package var sourceTopic: String?
    package var attempts: Int?
    package var status: Int?
    /// Of its value; nil for a tombstone.
    package var bytes: Int?
    /// How often it had been replayed before it died this time.
    package var replays: Int
    package var replayable: String?
}
