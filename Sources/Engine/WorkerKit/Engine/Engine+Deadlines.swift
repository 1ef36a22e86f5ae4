import Records
import ServiceKit
import WireFormats

// Deadlines, by a clock that does not expire all records when the wall clock is set wrong.
extension Engine {
    /// The wall-clock time that deadlines are compared with, in milliseconds since 1970.
    var deadlineNow: Int64 { self.deadlineClock.wall(at: self.now) }

    /// Returns whether the deadline of a record has passed, by the wall clock or by the monotonic clock since
    /// the record was taken in. The second is needed because a wall clock that steps back must not keep a
    /// record for ever.
    func isExpired(_ id: EntryID) -> Bool {
        let (deadline, end) = self.table.withEntry(id) { ($0.deadline, $0.expiresAt) }
        return deadline <= self.deadlineNow || end <= self.now.monotonic
    }

    /// Returns whether a record waits for the time of its header `not-before`.
    func isDelayed(_ id: EntryID) -> Bool { self.table.isDelayed(id) }

    /// Whether all records in hand wait for such a time, or behind one that does.
    package var areAllDelayed: Bool {
        let waiting = self.table.count(of: .backingOff)
        guard waiting > 0, waiting + self.table.count(of: .queued) == self.table.count else { return false }
        return !self.dispatch.queues.backingOff.elements.contains {
            self.table.kind(of: $0.element) == .backingOff && !self.isDelayed($0.element)
        }
    }

    /// Expires the waiting records whose deadline has passed, once a second. Otherwise a record would expire
    /// only when it gets a slot, which can be long after its deadline in an outage.
    func sweepIfDue() {
        guard self.now.monotonic >= self.nextSweep else { return }
        self.nextSweep = self.now.after(.seconds(1))
        var places: Set<RecordState.Kind> = []
        for id in self.table.ids where self.isExpired(id) {
            let kind = self.table[id].state.kind
            switch kind {
            case .ready, .blocked, .backingOff, .held:
                places.insert(kind)
                self.expire(id)
            // A queued record waits for an earlier one of its key, and its deadline is checked when that one
            // is settled. The records in the other states have a call in flight, or are on the way to their
            // end.
            case .arrived, .queued, .calling, .condemned, .settling, .resending, .waiting, .written: break
            }
        }
        self.dispatch.forgetWhoLeft(places, in: &self.table)
        self.condemned.forgetIdle(at: self.now.monotonic)
        self.watchHeldIntake()
        self.resolveHeadsOfLine()
    }

    /// Settles a record as `expired`. The handler may add to the outcome what it knows.
    func expire(_ id: EntryID) {
        // The handler is called for an expired record too, and that call may be the one that kills the
        // process.
        if self.isDeadly(id) { return self.rejectDeadly(id) }
        let last = self.table[id].lastReason.map { "; the last attempt ended with \($0.code)" } ?? ""
        let reason = Reason("deadline", "The record's deadline passed before it could be settled\(last).")
        let (record, circumstances) = self.table.withEntry(id) {
            ($0.record, $0.circumstances(of: $0.attempts + 1, at: self.now.wall, proven: self.deadlineNow))
        }
        let answer = self.handling(id) { self.handler.expired(record, circumstances) }
        self.settle(id, as: .expired, because: reason, answer)
    }

    /// Compares the wall clock with the monotonic clock. `turn` calls this.
    func readClock() { self.tell(self.deadlineClock.read(self.now)) }

    /// Uses the timestamp of a record as evidence of the time elsewhere, while the wall clock is in doubt.
    func noteTime(of record: InboundRecord) {
        guard self.deadlineClock.isInDoubt, let timestamp = record.timestamp else { return }
        self.tell(self.deadlineClock.saw(timestamp: timestamp, at: self.now))
    }

    private func tell(_ finding: DeadlineClock.Finding) {
        finding.tell(self.logger) { self.metrics.set("worker_clock_ahead_milliseconds", $0) }
        switch finding {
        case .nothing, .doubt: break
        case .corrected, .settled:
            // Delays were measured by the time before.
            self.dispatch.queues.lookAtDelaysAgain(in: self.table, at: self.now.monotonic)
            for index in self.assignments.indices { self.assignments[index].parked.releaseDelayed() }
        }
    }
}
