import Logging
import Records
import ServiceKit
import WireFormats

// Lanes whose configuration looks broken. Their records wait: none becomes a dead letter, and none is settled
// unless its deadline passes.
extension Engine {
    /// Acts on a rejection: the record becomes a dead letter, or it is kept because its lane may be
    /// misconfigured.
    func rejected(_ id: EntryID, _ rejection: Rejection, by call: CallInFlight) {
        guard rejection.suggestsConfigurationFault else {
            self.upstreamAnswered(call, laneIsFine: true)
            return self.deadLetter(id, rejection)
        }
        if self.keepIfSuspect(id, because: rejection.reason, by: call) { return }
        self.deadLetter(id, rejection)
    }

    /// Acts on a refusal that our configuration would explain too: the record is settled, or it is kept
    /// because its lane may be misconfigured.
    func refusedInDoubt(
        _ id: EntryID,
        because reason: Reason,
        answer: (any Sendable)?,
        by call: CallInFlight
    ) {
        if self.keepIfSuspect(id, because: reason, by: call) { return }
        self.settle(id, as: .rejected, because: reason, answer)
    }

    /// Notes an answer that our configuration would explain, and keeps the record if its lane has come under
    /// suspicion by it.
    ///
    /// - Returns: Whether the record is kept.
    private func keepIfSuspect(_ id: EntryID, because reason: Reason, by call: CallInFlight) -> Bool {
        self.upstreamAnswered(call, laneIsFine: false)
        let hold = self.dispatch.gates.laneSuspected(
            call,
            ofKey: self.keyMark(of: id),
            after: self.table[id].lastHold,
            at: self.now.monotonic
        )
        guard let hold else { return false }
        self.keep(id, because: reason, in: call.lane, hold, by: call)
        return true
    }

    /// Lets a lane wait because the upstream asked it to, and the record in it.
    func gateLane(of id: EntryID, _ retry: Retry, by call: CallInFlight) {
        self.upstreamAnswered(call, laneIsFine: false)
        self.letLaneWait(of: id, retry, by: call)
    }

    /// Lets a lane wait, and the record in it, and notes nothing of the upstream.
    func letLaneWait(of id: EntryID, _ retry: Retry, by call: CallInFlight) {
        self.metrics.retried(retry.reason.code)
        self.table.withEntry(id) { entry in
            entry.firstFailedAt = entry.firstFailedAt ?? self.now.wall
            entry.lastReason = retry.reason
        }
        let asked = retry.after.map { max($0, Self.shortestLaneGate) }
        let pause = min(asked ?? self.settings.lanes.firstPause, Self.longestLaneGate)
        if self.dispatch.gates.laneGated(call, until: self.now.after(pause)) {
            self.metrics.gated(pause)
            self.metrics.showHold(of: Self.shown(call.lane), because: retry.reason.code)
            self.logger.notice(
                "lane has to wait",
                metadata: [
                    "lane": "\(Self.shown(call.lane))", "reason": "\(retry.reason.code)",
                    "seconds": "\(pause.components.seconds)",
                ]
            )
        }
        self.keepHeld(id, in: call.lane)
    }

    /// The shortest time between two probes of a lane that was asked to wait, for an upstream that asks for no time at
    /// all: without it, a limited account would be called again as fast as it answers.
    private static var shortestLaneGate: Duration { .seconds(1) }

    /// The longest time between two probes of a lane that was asked to wait. A quota of a day can be raised
    /// during the day, and one answer, perhaps of a single faulty server, must not stop a lane for so long.
    private static var longestLaneGate: Duration { .seconds(3_600) }

    /// Returns a number that tells the records of one key from other records, whether or not their order is
    /// kept. A record without a key counts as a key of its own.
    private func keyMark(of id: EntryID) -> Int {
        let record = self.table[id].record
        guard let key = record.key else { return [Int64(record.partition), record.offset].hashValue }
        return key.hashValue
    }

    /// Acts on a handler's request to hold the record's lane, or the whole upstream.
    func hold(_ id: EntryID, _ reason: Reason, scope: HoldScope, by call: CallInFlight) {
        self.upstreamAnswered(call, laneIsFine: false)
        let lane = scope == .upstream ? Lanes.upstream : call.lane
        let previous = self.table[id].lastHold
        let hold = self.dispatch.gates.laneHeld(
            lane,
            by: call.number,
            after: previous,
            at: self.now.monotonic
        )
        self.keep(id, because: reason, in: lane, hold, by: call)
    }

    /// Keeps a record whose call asked for a hold. If the lane is held, the record waits until a probe of the
    /// lane is answered; otherwise it waits for a time of its own.
    private func keep(
        _ id: EntryID,
        because reason: Reason,
        in lane: String,
        _ hold: LaneHealth.Hold,
        by call: CallInFlight
    ) {
        let isItsFirst = self.table.withEntry(id) { entry in
            entry.lastReason = reason
            entry.firstFailedAt = entry.firstFailedAt ?? self.now.wall
            entry.holds += 1
            entry.lastHold = call.number
            return entry.holds == 1
        }
        let metadata = self.traced(id, ["lane": "\(Self.shown(lane))", "reason": "\(reason.code)"])
        switch hold {
        case .goesOn: break
        case .recordOnly:
            if isItsFirst { self.logger.warning("record held; its lane is well", metadata: metadata) }
            return self.dispatch.waitAlone(
                id,
                in: &self.table,
                at: self.now.monotonic,
                using: &self.random
            )
        case .begun(let isNews):
            self.metrics.held(Self.shown(lane), because: reason.code)
            if isNews {
                self.logger.error(
                    "lane held: its configuration looks broken; its records wait",
                    metadata: metadata
                )
            } else {
                self.logger.warning("lane held again", metadata: metadata)
            }
        }
        self.keepHeld(id, in: lane)
    }

    /// Returns the name of a lane for logs and metrics; `all` for the whole upstream.
    static func shown(_ lane: String) -> String { lane.isEmpty ? "all" : lane }

    /// Lets a record wait until its lane is open again, or until it is chosen as the lane's probe.
    private func keepHeld(_ id: EntryID, in lane: String) {
        self.dispatch.queues.hold(id, along: lane, in: &self.table)
        self.metrics.keptHeld()
    }
}
