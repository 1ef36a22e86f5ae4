/// One replay of one letter, as the index knows it.
package struct ReplayView: Hashable, Sendable {
    /// The id of the replay, as in the header `dlq.replay_id`.
    package var id: String
    /// The batch id of the command.
    package var batch: String
    /// The id of the letter that was replayed.
    package var letter: LetterID
    /// The user who replayed it.
    package var by: String
    /// The reason that the user gave.
    package var because: String
    /// The time of the replay, in milliseconds since 1970.
    package var at: Int64
    /// The topic that the record was replayed to.
    package var target: String
    /// The SHA-256 of the value before its first edit, in hexadecimal digits; nil if no replay has changed
    /// the value.
    package var edited: String?
    /// The outcome so far; `replayed` while there is none.
    package var state: LetterState
    /// The worker's code for why the replay did not succeed; nil if there is none.
    package var reason: String?
    /// The time of the outcome, in milliseconds since 1970; nil while there is none.
    package var settled: Int64?
}
