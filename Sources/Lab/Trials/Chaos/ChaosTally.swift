import Harness

/// The counts of a chaos run that are not about single inputs.
struct ChaosTally {
    var kills = 0
    var pauses = 0
    /// Workers that were stopped and started again.
    var scaledDown = 0
    /// Workers that were added for a limited time.
    var scaledUp = 0
    var upstreamFaults = 0
    var brokerFaults = 0
    var brokerCounts: BrokerOrder.Counts?
    /// The number of worker processes that were started.
    var lives = 0
    /// Workers that exited because one of their Kafka clients had failed permanently.
    var clientFailures = 0
    /// All workers that exited by themselves, including those counted in `clientFailures`.
    var deaths = 0
    /// Worker processes with a small producer queue.
    var smallQueues = 0
    /// The longest time from a SIGTERM to the end of the worker.
    var longestLeaving = Duration.zero
    /// The time from the end of the load until every input had its outcome; nil if that did not happen in
    /// time.
    var settling: Duration?
    /// The records that the consumer groups have not committed in the end.
    var lag: Int64 = 0
    /// Entries of the upstream's journal that were dropped before they were read.
    var journalLost = 0
}
