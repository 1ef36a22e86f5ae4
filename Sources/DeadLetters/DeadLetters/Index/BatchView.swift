/// The replays of one command, counted by their outcomes.
package struct BatchView: Hashable, Sendable {
    /// The batch id of the command.
    package var batch: String
    /// The user who ran the command.
    package var by: String
    /// The reason that the user gave.
    package var because: String
    /// The time of the command's first replay, in milliseconds since 1970.
    package var at: Int64
    /// The topics that records were replayed to.
    package var targets: [String]
    /// The numbers of replays by their states.
    package var counts: [LetterState: Int]

    /// The number of replays.
    package var total: Int { self.counts.values.reduce(0, +) }

    /// The number of replays without an outcome.
    package var open: Int { self.counts[.replayed] ?? 0 }
}
