import ServiceKit

// Calls that are cut short. Before its first failure, nothing tells a record whose calls hang until the timeout from
// others. A few such records a second would take all slots, and everybody else would wait.
//
// So while sound records find no slot, the overdue calls of an endpoint (`UsualTime`) may take half of its slots. The
// oldest of the others are cut short, if no call for their record has failed where others succeeded, and a repeat does no
// harm. The record is an outlier then: its next call has all the time that it wants, in the quarter of the slots that
// outliers have.
extension Dispatch {
    /// The time between two looks for overdue calls.
    private static let pause = Duration.milliseconds(100)
    /// The time between two turns after which answers may have arrived that nobody has read yet.
    private static let absence = Duration.milliseconds(500)

    /// Chooses the calls that are to be ended now, and marks them. The engine ends their requests. It asks in each turn,
    /// after it has taken in all answers that it had.
    ///
    /// - Returns: The calls, each with its endpoint.
    mutating func cutOverdue(in table: inout RecordTable, at now: Int64) -> [(id: EntryID, endpoint: Int)] {
        if now.subtractingClamped(self.askedAt) > Self.absence.wholeNanoseconds { self.lookedAt = now }
        self.askedAt = now
        guard let due = self.nextOverdue(in: &table, at: now), due <= now else { return [] }
        self.lookedAt = now
        var all: [(id: EntryID, endpoint: Int)] = []
        for endpoint in self.gates.endpoints.indices where self.isStarving(at: endpoint, in: &table, at: now)
        {
            let cut = self.surplus(at: endpoint, in: &table, at: now)
            guard !cut.isEmpty else { continue }
            for id in cut { table.cutCall(of: id) }
            self.gates.callsCut(to: endpoint, at: now)
            all += cut.map { ($0, endpoint) }
        }
        return all
    }

    /// Returns the time of the next look for overdue calls; nil if nobody waits for their slots.
    func nextOverdue(in table: inout RecordTable, at now: Int64) -> Int64? {
        var next: Int64?
        for index in self.gates.endpoints.indices where self.isStarving(at: index, in: &table, at: now) {
            guard let due = self.gates.endpoints[index].nextOverdue(at: now) else { continue }
            next = min(next ?? .max, max(due, self.lookedAt.addingClamped(Self.pause.wholeNanoseconds)))
        }
        return next
    }

    /// Returns whether records that have not failed alone may wait for slots which calls to this endpoint take. The endpoint
    /// has answered well so far.
    private func isStarving(at endpoint: Int, in table: inout RecordTable, at now: Int64) -> Bool {
        guard self.queues.ready.soundCount > 0 || self.queues.blocked[endpoint].soundCount > 0,
            self.gates.endpoints[endpoint].breaker.state == .closed,
            self.gates.endpoints[endpoint].isWithinRate(at: now),
            self.gates.pace.nextByRate(at: now) == nil
        else { return false }
        return !self.gates.haveSlot(beside: &table, at: now)
            || table.callsInFlight(to: endpoint) >= self.gates.callsAllowed(to: endpoint, at: now)
    }

    /// Returns the calls of an endpoint that are overdue and take more than its half, the oldest ones that may be cut. Calls
    /// whose records are gone go first.
    private func surplus(at endpoint: Int, in table: inout RecordTable, at now: Int64) -> [EntryID] {
        let patience = self.gates.endpoints[endpoint].usual.patience(at: now)
        var (overdue, candidates): (Int, [(id: EntryID, began: Int64)]) = (0, [])
        for id in table.ids where table.kind(of: id) == .calling {
            guard let call = table.call(of: id), call.endpoint == endpoint, now - call.began >= patience
            else { continue }
            overdue += 1
            if call.mayBeCut { candidates.append((id, call.began)) }
        }
        let orphans = table.orphans(to: endpoint, before: now.subtractingClamped(patience))
        overdue += orphans.count
        let surplus = overdue - max(1, self.gates.callsAllowed(to: endpoint, at: now) / 2)
        let living = candidates.sorted { $0.began < $1.began }.map(\.id)
        return Array((orphans + living).prefix(max(0, surplus)))
    }
}

extension Call {
    /// Whether the call may share its request with others.
    var mayShare: Bool { if case .part = self.content { true } else { false } }

    /// Whether the call can be cut short and made again: it has a request of its own, and a repeat does no harm.
    var canBeCut: Bool {
        if case .request = self.content { self.isRepeatable } else { false }
    }
}
