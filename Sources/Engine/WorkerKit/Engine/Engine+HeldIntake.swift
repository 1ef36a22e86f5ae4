import Logging
import Records
import ServiceKit

// A partition is read in order. So records of a held lane stop the intake of other lanes' records once they
// fill the limits on what is in hand, or once the oldest of them is a whole window behind.
//
// No room can be kept for other lanes, because the lane of a record is known only after it was read. Where
// there is a parking topic, records of a held lane leave memory before that (`Engine+Relief`). Without one,
// and while the whole upstream is held, they stay in hand, and the log and the metrics report what they stop.
extension Engine {
    /// Shows the number of records that wait for each held lane. Lanes come from the configuration, so there
    /// are few of them.
    func reportHeldLanes() {
        for lane in self.shownLanes.subtracting(self.dispatch.queues.held.keys) { self.show(0, of: lane) }
        for (lane, waiting) in self.dispatch.queues.held { self.show(waiting.count, of: lane) }
        self.shownLanes = Set(self.dispatch.queues.held.keys)
        self.metrics.keepHolds(of: self.dispatch.gates.lanes.heldNames.map { Self.shown($0) })
    }

    private func show(_ count: Int, of lane: String) {
        self.metrics.set("worker_lane_records_parked", count, labels: [("lane", Self.shown(lane))])
    }

    /// Logs once that held records have stopped the intake, and once that they no longer do.
    func watchHeldIntake() {
        if !self.isIntakeHeld, self.isStoppedByHeldRecords {
            self.isIntakeHeld = true
            self.logger.warning(
                "records of held lanes stop the intake: others wait behind them",
                metadata: [
                    "records": "\(self.table.count(of: .held))", "in_hand": "\(self.table.count)",
                    "fullest_lane": "\(self.fullestLane)",
                ]
            )
        } else if self.isIntakeHeld, !self.isNearlyStopped {
            self.isIntakeHeld = false
            self.logger.notice("records of held lanes no longer stop the intake")
        }
    }

    private var fullestLane: String {
        Self.shown(self.dispatch.queues.held.max { $0.value.count < $1.value.count }?.key ?? Lanes.upstream)
    }

    /// Whether the intake of some partition is stopped because of held records.
    private var isStoppedByHeldRecords: Bool {
        guard !self.dispatch.queues.held.isEmpty else { return false }
        return self.isFull && self.table.count(of: .held) >= self.table.count / 2 || self.isWindowHeld
    }

    /// Whether held records are still close to stopping the intake: some limit is used to nine tenths.
    /// Without this margin, every record that is settled would count as the end of the stop.
    private var isNearlyStopped: Bool {
        guard !self.dispatch.queues.held.isEmpty else { return false }
        return self.table.count >= self.settings.recordsLimit / 10 * 9
            || self.bytesInHand >= self.settings.bytesLimit / 10 * 9 || self.isWindowHeld
    }

    /// Whether a partition waits for its oldest unfinished record, and that record waits for its lane.
    private var isWindowHeld: Bool {
        guard self.assignments.contains(where: { !$0.overflow.isEmpty }) else { return false }
        return self.table.ids.contains { id in
            let (state, index, offset) = self.table.withEntry(id) {
                ($0.state.kind, $0.assignment, $0.offset)
            }
            return state == .held && !self.assignments[index].overflow.isEmpty
                && self.assignments[index].progress?.position == offset
        }
    }
}
