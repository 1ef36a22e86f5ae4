import Logging
import Records

// Deadlines, by a clock that does not expire everything when it is set wrong.
extension Engine {
    /// Wall-clock milliseconds, as deadlines count them.
    var deadlineNow: Int64 { self.deadlineClock.wall(at: self.now) }

    /// Whether the deadline of a record has passed: by the wall clock, or by the monotonic one since the record came. A
    /// wall clock that steps back must not keep a record for ever.
    func isExpired(_ id: EntryID) -> Bool {
        let (deadline, end) = self.table.withEntry(id) { ($0.deadline, $0.expiresAt) }
        return deadline <= self.deadlineNow || end <= self.now.monotonic
    }

    func readClock() { self.tell(self.deadlineClock.read(self.now)) }

    /// Records tell what time it is elsewhere.
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
