/// What has been done about a letter, by the ledger's word.
package struct LedgerStanding: Hashable, Sendable {
    package var state: LetterState
    package var replays: Int
    package var by: String
    package var at: Int64
    package var because: String
}
