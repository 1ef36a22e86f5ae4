import ServiceKit

// The ways back to the ready queue, for records whose wait is over.
extension Dispatch {
    /// Lets a record that asked for a hold wait by itself, so that it is not in the way of others. The bound
    /// of the wait doubles with each request, up to the longest pause of a lane.
    mutating func waitAlone(
        _ id: EntryID,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) {
        let pause = self.holdBackoff.delayAboveHalf(afterFailures: table[id].holds, using: &random)
        let due = now.addingClamped(pause.wholeNanoseconds)
        self.queues.backOff(id, until: due, because: .other, in: &table)
    }

    /// Moves the records whose next attempt is due to the ready queue, and lets held lanes send a probe.
    mutating func wake(in table: inout RecordTable, at now: Int64, using random: inout SplitMix64) {
        self.queues.wakeDue(in: &table, at: now)
        if !self.queues.held.isEmpty { self.wakeHeldLanes(in: &table, at: now, using: &random) }
    }

    /// Releases all records of lanes that are open again, and one record of each held lane whose probe is
    /// due.
    private mutating func wakeHeldLanes(
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) {
        for lane in self.queues.held.keys.sorted() {
            if self.gates.lanes.isOpen(lane) {
                self.releaseAll(of: lane, in: &table, at: now, using: &random)
            } else if let probe = self.gates.lanes.nextProbe(of: lane), probe <= now {
                self.releaseOne(of: lane, in: &table, at: now, using: &random)
            }
        }
    }

    /// Releases the records of a lane that is open again. A record that has asked for a hold waits for a time
    /// of its own first: if it is at fault and the lane is not, such records must not take up the lane
    /// together.
    private mutating func releaseAll(
        of lane: String,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) {
        guard var waiting = self.queues.popAll(of: lane) else { return }
        while let id = waiting.popFirst() {
            guard table.kind(of: id) == .held else { continue }
            if table[id].holds > 0 {
                self.waitAlone(id, in: &table, at: now, using: &random)
            } else {
                self.queues.makeReady(id, from: .held, in: &table)
            }
        }
    }

    /// Releases one record of a held lane. When it is dispatched, its call becomes the lane's probe.
    private mutating func releaseOne(
        of lane: String,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) {
        guard let id = self.queues.popProbe(of: lane, using: &random) else { return }
        self.gates.probeReleased(lane, at: now)
        self.queues.makeReady(id, from: .held, in: &table)
    }

    /// Forgets the records that have left these places because their deadline has passed. They would take up
    /// room there, and in the ready queue they would close the intake.
    mutating func forgetWhoLeft(_ places: Set<RecordState.Kind>, in table: inout RecordTable) {
        for place in places { self.queues.remove(from: place) { table.kind(of: $0) != place } }
    }
}
