/// The options of a comparison of the deliveries.
struct CostOptions: Hashable, Sendable {
    /// The number of records in one run.
    var records: Int
    /// The number of runs of each delivery.
    var rounds: Int
    /// The greatest number of calls in flight.
    var concurrency: Int
    /// The time in milliseconds that the upstream takes for an answer.
    var latencyMilliseconds: Int

    /// The largest number of records in one run. The embedded broker keeps them all in memory.
    static let recordsLimit = 1_000_000
}
