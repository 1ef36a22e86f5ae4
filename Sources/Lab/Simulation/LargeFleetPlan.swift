package import WorkerKit

/// The size of a large fleet, and its load.
package struct LargeFleetPlan: Hashable, Sendable {
    /// The number of partitions of the input.
    package var partitions = 1_000
    /// The number of workers.
    package var workers = 100
    /// The records that are published per second, evenly over the partitions.
    package var perSecond = 5_000
    /// How long the fleet is watched before and after the restart of its workers.
    package var length = Duration.seconds(30)
    /// The time that the upstream takes to answer.
    package var latency = Duration.milliseconds(100)
    /// The number of workers that are restarted one after the other, with a second between two of them.
    package var restarts = 10
    /// The delivery setting of the workers.
    package var delivery = EngineSettings.Delivery.atLeastOnce

    /// Makes the plan of a fleet of 100 workers and 1,000 partitions.
    package init() {}
}
