import Harness

/// The options of a comparison of the deliveries.
package struct CostOptions: Hashable, Sendable {
    /// The number of records in one run.
    package var records: Int
    /// The number of runs of each delivery.
    package var rounds: Int
    /// The greatest number of calls in flight.
    package var concurrency: Int
    /// The time in milliseconds that the upstream takes for an answer.
    package var latencyMilliseconds: Int

    /// The largest number of records in one run. The embedded broker keeps them all in memory.
    package static let recordsLimit = 1_000_000

    /// Makes the options from their parts.
    package init(records: Int, rounds: Int, concurrency: Int, latencyMilliseconds: Int) {
        self.records = records
        self.rounds = rounds
        self.concurrency = concurrency
        self.latencyMilliseconds = latencyMilliseconds
    }
}
