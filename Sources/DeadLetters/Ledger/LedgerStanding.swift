/// What has been done about a letter, by the ledger's word.
package struct LedgerStanding: Hashable, Sendable {
    package var state: LetterState
    package var replays: Int
    package var by: String
    package var at: Int64
    package var because: String
    /// Whether a replay of the letter has succeeded, be it the latest or one before.
    package var hasSucceeded: Bool
}
