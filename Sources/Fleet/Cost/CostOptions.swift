/// What a comparison of the deliveries is asked to be.
struct CostOptions: Hashable, Sendable {
    /// Of one run.
    var records: Int
    var rounds: Int
    /// Calls in flight.
    var concurrency: Int
    /// How long the upstream takes for an answer.
    var latencyMilliseconds: Int

    /// The embedded broker keeps everything in memory.
    static let recordsLimit = 1_000_000
}
