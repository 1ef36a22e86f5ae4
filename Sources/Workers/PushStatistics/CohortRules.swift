/// The rules by which events are counted. They must be the same in every worker of a fleet.
package struct CohortRules: Hashable, Sendable {
    /// How long after the sending of its push an event is still counted.
    package var allowedLateness: Duration
    /// How long the devices of a message are remembered after the allowed lateness, for records that are
    /// still on their way to the worker.
    package var grace: Duration
    /// The number of new messages of one app that one partition accepts per second, as long as only one
    /// device has reported each of them.
    package var newMessages: Int
    /// The upper edges of the buckets of the lag histogram, in milliseconds, ascending.
    package var lagEdges: [Int64]
    /// The environments whose events are counted.
    package var environments: Set<String>

    /// Creates rules. The defaults are 72 hours of lateness, one hour of grace, 10 new messages per second,
    /// the usual edges, and only the environment `production`.
    package init(
        allowedLateness: Duration = .seconds(72 * 3_600),
        grace: Duration = .seconds(3_600),
        newMessages: Int = 10,
        lagEdges: [Int64] = LagHistogram.usualEdges,
        environments: Set<String> = ["production"]
    ) {
        self.allowedLateness = allowedLateness
        self.grace = grace
        self.newMessages = newMessages
        self.lagEdges = lagEdges
        self.environments = environments
    }
}
