/// The latest entry of the ledger about one dead letter, with the outcome of its replay.
package struct LedgerStanding: Hashable, Sendable {
    /// The state of the letter by that entry and the outcome; never `open`.
    package var state: LetterState
    /// How often the record has been replayed in its life, by that entry.
    package var replays: Int
    /// The user who replayed or discarded the letter.
    package var by: String
    /// The time of that entry, in milliseconds since 1970.
    package var at: Int64
    /// The reason that the user gave.
    package var because: String
    /// Whether any replay of the letter has succeeded, the latest or an earlier one.
    package var hasSucceeded: Bool
}
