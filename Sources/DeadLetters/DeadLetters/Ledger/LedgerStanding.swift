/// The latest entry of the ledger about one dead letter, with the outcome of its replay.
///
/// A letter without an entry has a standing too if its record was replayed before it became this letter, and a replay of
/// the record has succeeded. That replay is told then.
package struct LedgerStanding: Hashable, Sendable {
    /// The state of the letter by that entry and the outcome; never `open`.
    package var state: LetterState
    /// How often the record has been replayed in its life, by that entry; 0 without one.
    package var replays: Int
    /// The user who replayed or discarded the letter.
    package var by: String
    /// The time of that entry, in milliseconds since 1970.
    package var at: Int64
    /// The reason that the user gave.
    package var because: String
    /// Whether any replay of the letter's record has succeeded: the latest, an earlier one, or one of another letter that
    /// the record became when it died again.
    package var hasSucceeded: Bool
}
