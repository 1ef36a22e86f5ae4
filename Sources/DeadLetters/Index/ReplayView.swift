/// A replay of one letter as the index knows it.
package struct ReplayView: Hashable, Sendable {
    /// As in the header `dlq.replay_id`.
    package var id: String
    package var batch: String
    package var letter: LetterID
    package var by: String
    package var because: String
    /// Milliseconds since 1970.
    package var at: Int64
    package var target: String
    /// SHA-256 of the value as it first died, if another was sent.
    package var edited: String?
    /// What came of it so far.
    package var state: LetterState
    /// Why it did not succeed.
    package var reason: String?
    package var settled: Int64?
}
