/// What a chaos run counts beside the inputs.
struct ChaosTally {
    var kills = 0
    var pauses = 0
    var scaledDown = 0
    var scaledUp = 0
    var upstreamFaults = 0
    var brokerFaults = 0
    var brokerCounts: BrokerOrder.Counts?
    var lives = 0
    /// Workers that ended because a Kafka client of theirs had failed for good.
    var clientFailures = 0
    /// Those, and all others that ended by themselves.
    var deaths = 0
    var smallQueues = 0
    var longestLeaving = Duration.zero
    /// From the end of the load until every input had its outcome; nil if that did not come.
    var settling: Duration?
    var lag: Int64 = 0
    /// Entries of the upstream's journal that were lost.
    var journalLost = 0
}
