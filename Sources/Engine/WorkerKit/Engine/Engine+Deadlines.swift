import Logging
import Records
import ServiceKit

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

    /// Compares the wall clock with the monotonic clock. `turn` calls this.
    func readClock() { self.tell(self.deadlineClock.read(self.now)) }

    /// Uses the timestamp of a record as evidence of the time elsewhere, while the wall clock is in doubt.
    func noteTime(of record: InboundRecord) {
        guard self.deadlineClock.isInDoubt, let timestamp = record.timestamp else { return }
        self.tell(self.deadlineClock.saw(timestamp: timestamp, at: self.now))
    }

    private func tell(_ finding: DeadlineClock.Finding) {
        switch finding {
        case .nothing: break
        case .doubt(let ahead):
            self.metrics.set("worker_clock_ahead_milliseconds", Int(clamping: ahead))
            self.logger.error(
                "the wall clock has stepped ahead: no record expires by the new time until records confirm it",
                metadata: ["seconds": "\(ahead / 1_000)"]
            )
        case .corrected(let ahead):
            self.metrics.set("worker_clock_ahead_milliseconds", Int(clamping: ahead))
        case .settled:
            self.metrics.set("worker_clock_ahead_milliseconds", 0)
            self.logger.notice("the wall clock is believed again")
        }
    }
}
