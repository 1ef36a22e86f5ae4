/// What one command replayed, and how far that has ended.
package struct BatchView: Hashable, Sendable {
    package var batch: String
    package var by: String
    package var because: String
    /// Of its first replay, milliseconds since 1970.
    package var at: Int64
    package var targets: [String]
    package var counts: [LetterState: Int]

    package var total: Int { self.counts.values.reduce(0, +) }

    /// Of which nothing has been heard yet.
    package var open: Int { self.counts[.replayed] ?? 0 }
}
