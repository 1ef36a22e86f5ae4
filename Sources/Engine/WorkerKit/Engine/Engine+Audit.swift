import ServiceKit

// The audit compares what is kept in two places: a record's state in the table, and its place in a queue. The
// simulation calls it after every turn.
extension Engine {
    /// Goes through everything in hand, and returns a sentence for each disagreement.
    ///
    /// - Parameter callsOut: The number of requests that the upstream has in flight.
    package func disagreements(callsOut: Int) -> [String] {
        // When the engine leaves, the records are dropped at once, but the counts of the assignments only
        // when the group takes the partitions back. So the two do not agree in between.
        guard !self.phase.isEnding else { return [] }
        let queues = self.dispatch.queues
        let held = queues.held.values.reduce(0) { $0 + $1.count }
        let condemned = self.condemned.waiting.values.reduce(0) { $0 + $1.count }
        let pairs = [
            ("calls", self.table.callsInFlight, callsOut + self.upstream.unseenCalls),
            ("ready", queues.ready.count, self.table.count(of: .ready)),
            ("blocked", queues.blocked.reduce(0) { $0 + $1.count }, self.table.count(of: .blocked)),
            ("backing off", queues.backingOff.count, self.table.count(of: .backingOff)),
            ("condemned", condemned, self.table.count(of: .condemned)),
            ("held", held, self.table.count(of: .held)),
            ("arrived", 0, self.table.count(of: .arrived)),
            ("came back", self.unparked.records, self.table.count(of: .over)),
            ("in hand", self.assignments.reduce(0) { $0 + $1.inHand }, self.table.count),
        ]
        return pairs.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1) is not \($0.2) in \(self.phase)" }
    }

    /// Whether no trace of any record is left in memory.
    package var isEmpty: Bool {
        self.table.count == 0 && self.table.bytes == 0 && self.table.outcomeBytes == 0
            && self.order.isEmpty && self.dispatch.queues.isEmpty && self.refused.isEmpty
            && self.transaction.isEmpty && self.condemned.isEmpty
            && self.parkedTickets == 0
            && self.unparked.isEmpty
    }
}
