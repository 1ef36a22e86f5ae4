import Logging
import Records

// A partition is read in order, so records of a held lane are in the way of others once they fill what may be in
// hand, or once the oldest of them is a whole window behind. No room can be kept for other lanes: which lane a
// record belongs to is known when it has been read, and what has been read stays in hand. So it is told.
extension Engine {
    /// Shows how many records wait for each held lane. Lanes come of the configuration, so there are not many.
    func reportHeldLanes() {
        for lane in self.shownLanes.subtracting(self.held.keys) { self.show(0, of: lane) }
        for (lane, waiting) in self.held { self.show(waiting.count, of: lane) }
        self.shownLanes = Set(self.held.keys)
    }

    private func show(_ count: Int, of lane: String) {
        self.metrics.set("worker_lane_records_parked", count, [("lane", Self.shown(lane))])
    }

    /// Says once that held records have stopped the intake, and once that they do no more.
    func watchHeldIntake() {
        if !self.isIntakeHeld, self.isStoppedByHeldRecords {
            self.isIntakeHeld = true
            self.logger.warning(
                "records of held lanes stop the intake: others wait behind them",
                metadata: [
                    "records": "\(self.heldCount)", "in_hand": "\(self.table.count)",
                    "fullest_lane": "\(self.fullestLane)",
                ]
            )
        } else if self.isIntakeHeld, !self.isNearlyStopped {
            self.isIntakeHeld = false
            self.logger.notice("records of held lanes no longer stop the intake")
        }
    }

    private var heldCount: Int { self.held.values.reduce(0) { $0 + $1.count } }

    private var fullestLane: String {
        Self.shown(self.held.max { $0.value.count < $1.value.count }?.key ?? Lanes.upstream)
    }

    /// Whether nothing more is taken in from some partition, and held records are why.
    private var isStoppedByHeldRecords: Bool {
        guard !self.held.isEmpty else { return false }
        return self.isFull && self.heldCount >= self.table.count / 2 || self.isWindowHeld
    }

    /// Settling one record makes room for one: that is no end of it.
    private var isNearlyStopped: Bool {
        guard !self.held.isEmpty else { return false }
        return self.table.count >= self.settings.recordsLimit / 10 * 9
            || self.bytesInHand >= self.settings.bytesLimit / 10 * 9 || self.isWindowHeld
    }

    /// Whether a partition waits for its oldest unfinished record, and that for its lane.
    private var isWindowHeld: Bool {
        guard self.assignments.contains(where: { !$0.overflow.isEmpty }) else { return false }
        return self.table.ids.contains { id in
            let (state, index, offset) = self.table.withEntry(id) {
                ($0.state, $0.assignment, $0.offset)
            }
            return state == .held && !self.assignments[index].overflow.isEmpty
                && self.assignments[index].progress?.position == offset
        }
    }
}
