/// What goes wrong, until other faults are set. Shares are from 0 to 1, each rolled per request.
package struct BrokerFaults: Sendable, Equatable {
    /// Added to every answer.
    package var latency: ClosedRange<Duration> = .zero...Duration.zero
    /// Produce requests that are not applied and answered with an error that asks for another try.
    package var refusedProduceShare = 0.0
    /// Produce requests that are applied, and whose connection is cut instead of an answer.
    package var unansweredProduceShare = 0.0
    /// Ends of transactions that are applied, and whose connection is cut instead of an answer.
    package var unansweredEndShare = 0.0
    /// How long the markers of an ended transaction are on their way. Until then its records and offsets stay
    /// undecided, and the producer's next transaction is told `CONCURRENT_TRANSACTIONS`.
    package var markerDelay: ClosedRange<Duration> = .zero...Duration.zero
    /// New connections are closed as soon as they are made.
    package var refusesConnections = false
    /// Topics that nobody has the right to read, or to write to, though the metadata shows them.
    package var unreadableTopics: Set<String> = []
    package var unwritableTopics: Set<String> = []

    package init() {}

    /// The same, with shares between 0 and 1, and delays between none and a minute.
    var bounded: BrokerFaults {
        var faults = self
        let delays = Duration.zero...Duration.seconds(60)
        faults.latency = self.latency.clamped(to: delays)
        faults.markerDelay = self.markerDelay.clamped(to: delays)
        faults.refusedProduceShare = min(max(self.refusedProduceShare, 0), 1)
        faults.unansweredProduceShare = min(max(self.unansweredProduceShare, 0), 1)
        faults.unansweredEndShare = min(max(self.unansweredEndShare, 0), 1)
        return faults
    }
}
