/// What decides how events are counted: the same in every worker of a fleet.
package struct CohortRules: Hashable, Sendable {
    /// How long after its push was sent an event still counts.
    package var allowedLateness: Duration
    /// How long after that the devices of a message are remembered, for records that were on their way.
    package var grace: Duration
    /// New messages of one app that a partition takes up in a second, as long as a single device tells of each.
    package var newMessages: Int
    /// The edges of the lag histogram, in milliseconds, ascending.
    package var lagEdges: [Int64]
    /// The environments whose events count.
    package var environments: Set<String>

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
