/// How often what went wrong since the start, so that a run can show that it was not spared.
package struct FaultCounts: Sendable, Equatable {
    package var refusedProduces = 0
    package var unansweredProduces = 0
    package var unansweredEnds = 0
    package var refusedConnections = 0
    package var coordinatorMoves = 0
}
