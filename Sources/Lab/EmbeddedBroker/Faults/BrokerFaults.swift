/// The faults that the broker injects until other faults are set.
///
/// Each share is a probability from 0 to 1, drawn anew for every request.
package struct BrokerFaults: Sendable, Equatable {
    /// The delay that is added to every response, at most one minute.
    package var latency: ClosedRange<Duration> = .zero...Duration.zero
    /// The share of produce requests that are refused as a whole with a retriable error; nothing of them is
    /// appended.
    package var refusedProduceShare = 0.0
    /// The share of produce requests that are appended, but whose connection is closed instead of an
    /// acknowledgement.
    package var unansweredProduceShare = 0.0
    /// The share of EndTxn requests that are carried out, but whose connection is closed instead of a
    /// response.
    package var unansweredEndShare = 0.0
    /// The delay between the end of a transaction and its transaction markers, at most one minute. Until the
    /// markers are written, the transaction's records and offsets stay undecided, and the producer's next
    /// transaction is refused with `CONCURRENT_TRANSACTIONS`.
    package var markerDelay: ClosedRange<Duration> = .zero...Duration.zero
    /// Whether the broker closes each new connection at once. Existing connections stay open.
    package var refusesConnections = false
    /// Topics that no client is authorized to read. The metadata lists them nevertheless.
    package var unreadableTopics: Set<String> = []
    /// Topics that no client is authorized to write to. The metadata lists them nevertheless.
    package var unwritableTopics: Set<String> = []

    /// Creates faults with which nothing goes wrong.
    package init() {}

    /// A copy whose shares lie between 0 and 1, and whose delays lie between 0 and 60 s.
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
