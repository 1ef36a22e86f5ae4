/// How often each fault has occurred since the broker started, so that a run can prove that faults were
/// injected.
package struct FaultCounts: Sendable, Equatable {
    /// Produce requests that were refused because of `BrokerFaults.refusedProduceShare`.
    package var refusedProduces = 0
    /// Produce requests that were appended and not acknowledged.
    package var unansweredProduces = 0
    /// EndTxn requests that were carried out and not answered.
    package var unansweredEnds = 0
    /// New connections that were closed at once.
    package var refusedConnections = 0
    /// Calls of `EmbeddedBroker.moveCoordinators(for:)`.
    package var coordinatorMoves = 0
}
