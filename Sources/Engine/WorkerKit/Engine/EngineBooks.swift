import ServiceKit

/// The numbers that the engine counts in two places, so that a test can compare the two counts.
///
/// One count is kept as records move; the other is found by going through everything in hand.
package struct EngineBooks: Hashable, Sendable {
    /// One number, counted in two ways.
    package struct Line: Hashable, Sendable {
        /// The name of the number, for the message.
        package var name: String
        /// The number as the engine keeps it.
        package var counted: Int
        /// The number as it was found by looking at everything in hand.
        package var found: Int
    }

    /// The numbers. The list is empty once the engine is leaving the group.
    package var lines: [Line]
    /// The phase of the engine, for the message.
    package var phase: String

    /// A sentence for each number whose two counts differ.
    package var disagreements: [String] {
        self.lines.filter { $0.counted != $0.found }
            .map { "\($0.name): \($0.counted) is not \($0.found) in \(self.phase)" }
    }
}

extension Engine {
    /// Goes through everything in hand and returns both counts of each number.
    ///
    /// - Parameter callsOut: The number of calls that the upstream has in flight.
    package func books(callsOut: Int) -> EngineBooks {
        var states = [Int](repeating: 0, count: Entry.State.allCases.count)
        for id in self.table.ids { states[self.table[id].state.rawValue] += 1 }
        func count(_ some: Entry.State...) -> Int { some.reduce(0) { $0 + states[$1.rawValue] } }
        let unwritten = self.transaction.members.count {
            self.table.state(of: $0) != nil && self.table.state(of: $0) != .written
        }
        let lines = [
            EngineBooks.Line(name: "calls", counted: self.callsInFlight, found: count(.calling)),
            .init(name: "all calls", counted: self.callsInFlight + self.orphanedCalls, found: callsOut),
            .init(
                name: "settling",
                counted: self.settlingCount,
                found: count(.settling, .resending, .waiting)
            ),
            .init(name: "ready", counted: self.ready.count, found: count(.ready)),
            .init(name: "blocked", counted: self.endpoints.blockedCount, found: count(.blocked)),
            .init(name: "backing off", counted: self.backingOff.count, found: count(.backingOff)),
            .init(name: "condemned", counted: self.condemnedCount, found: count(.condemned)),
            .init(name: "held", counted: self.held.values.reduce(0) { $0 + $1.count }, found: count(.held)),
            .init(
                name: "came back",
                counted: self.unparking.records,
                found: self.table.ids.count { self.table[$0].parking == .over }
            ),
            .init(
                name: "tickets",
                counted: self.parkedTickets,
                found: self.assignments.reduce(0) { $0 + $1.parked.count }
            ),
            .init(name: "unacknowledged", counted: self.transaction.unacknowledged, found: unwritten),
            .init(
                name: "in hand",
                counted: self.assignments.reduce(0) { $0 + $1.inHand },
                found: self.table.count
            ),
        ]
        // When the engine leaves, the records are dropped at once, but the counts of the assignments only
        // when the group takes the partitions back. So the two do not agree in between.
        let isOnTheWayOut = self.phase == .leaving || self.phase == .left
        return EngineBooks(lines: isOnTheWayOut ? [] : lines, phase: "\(self.phase)")
    }

    /// Whether no trace of any record is left in memory.
    package var isEmpty: Bool {
        self.table.count == 0 && self.table.bytes == 0 && self.settlingCount == 0 && self.callsInFlight == 0
            && self.tails.isEmpty && self.held.isEmpty && self.ready.isEmpty && !self.endpoints.haveBlocked
            && self.backingOff.count == 0 && self.resending.count == 0 && self.followUps.isEmpty
            && self.transaction.members.isEmpty
            && self.transaction.waiting.isEmpty && self.condemned.isEmpty && self.parkedTickets == 0
            && self.unparking.records == 0 && self.unparking.bytes == 0 && self.unparking.keys.isEmpty
    }
}
