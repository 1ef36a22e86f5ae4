import Logging
import Records
import WireFormats

// Lanes whose configuration looks broken: their records wait, and nothing is settled or dead-lettered.
extension Engine {
    func rejected(_ id: EntryID, _ rejection: Rejection) {
        guard rejection.suggestsConfigurationFault else {
            self.upstreamAnswered(id, laneIsFine: true)
            return self.deadLetter(id, rejection)
        }
        self.upstreamAnswered(id, laneIsFine: false)
        let (call, previous, own) = self.table.withEntry(id) { ($0.call, $0.lastHold, $0.lane) }
        let lane = own ?? Lanes.upstream
        let hold = self.lanes.suspected(
            call,
            ofKey: self.keyMark(of: id),
            after: previous,
            on: lane,
            at: self.now.monotonic
        )
        guard let hold else { return self.deadLetter(id, rejection) }
        self.keep(id, because: rejection.reason, in: lane, hold)
    }

    /// Tells records of one key from those of others, whether or not their order is kept. A record without a key is a
    /// key of its own.
    private func keyMark(of id: EntryID) -> Int {
        let record = self.table[id].record
        guard let key = record.key else { return [Int64(record.partition), record.offset].hashValue }
        return key.hashValue
    }

    func hold(_ id: EntryID, _ reason: Reason, _ scope: HoldScope) {
        self.upstreamAnswered(id, laneIsFine: false)
        let (call, previous, own) = self.table.withEntry(id) { ($0.call, $0.lastHold, $0.lane) }
        let lane = scope == .upstream ? Lanes.upstream : own ?? Lanes.upstream
        let hold = self.lanes.hold(call, after: previous, on: lane, at: self.now.monotonic)
        self.keep(id, because: reason, in: lane, hold)
    }

    /// Keeps a record that asked for a hold: until a probe of its lane is answered if that is held, and else for
    /// a while of its own.
    private func keep(_ id: EntryID, because reason: Reason, in lane: String, _ hold: LaneHealth.Hold) {
        let isItsFirst = self.table.withEntry(id) { entry in
            entry.lastReason = reason
            entry.firstFailedAt = entry.firstFailedAt ?? self.now.wall
            entry.holds += 1
            entry.lastHold = entry.call
            return entry.holds == 1
        }
        let metadata: Logger.Metadata = ["lane": "\(Self.shown(lane))", "reason": "\(reason.code)"]
        switch hold {
        case .goesOn: break
        case .recordOnly:
            if isItsFirst { self.logger.warning("record held; its lane is well", metadata: metadata) }
            return self.wait(id)
        case .begun(let isNews):
            self.metrics.held()
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

    static func shown(_ lane: String) -> String { lane.isEmpty ? "all" : lane }

    /// Keeps a record of a held lane until the lane's probe has been answered.
    func keepHeld(_ id: EntryID, in lane: String) {
        let isSuspect = self.table.withEntry(id) { entry in
            entry.state = .held
            return entry.holds > 0
        }
        self.held[lane, default: HeldRecords()].append(id, isSuspect: isSuspect)
        self.metrics.keptHeld()
    }

    /// Keeps a record that asked for a hold out of the way of others: the more often it asked, the longer.
    private func wait(_ id: EntryID) {
        let holds = self.table[id].holds
        let pause = self.settings.lanes.backoff.delayAboveHalf(afterFailures: holds, using: &self.random)
        self.table[id].state = .backingOff
        self.backingOff.add(id, due: self.now.after(pause))
    }

    /// The upstream gave an answer that says nothing against our configuration.
    func laneAnswered(_ id: EntryID, _ call: UInt64) {
        for lane in [Lanes.upstream, self.table[id].lane ?? Lanes.upstream] {
            guard self.lanes.answered(call, on: lane, at: self.now.monotonic) else { continue }
            self.logger.notice("lane open again", metadata: ["lane": "\(Self.shown(lane))"])
        }
    }

    /// Lets the records of open lanes go, and one of each held lane whose probe is due.
    func wakeHeldLanes() {
        for lane in self.held.keys.sorted() {
            if self.lanes.isOpen(lane) {
                self.releaseAll(of: lane)
            } else if let probe = self.lanes.nextProbe(of: lane), probe <= self.now.monotonic {
                self.releaseOne(of: lane)
            }
        }
    }

    /// The lane is open again. Those that asked for the hold come back one by one: if they are at fault and the
    /// lane is not, they must not keep it busy.
    private func releaseAll(of lane: String) {
        guard var waiting = self.held.removeValue(forKey: lane) else { return }
        while let id = waiting.popFirst() {
            guard self.table.state(of: id) == .held else { continue }
            if self.table[id].holds > 0 { self.wait(id) } else { self.makeReady(id, from: .held) }
        }
    }

    /// One record of a held lane asks again; the lane makes it its probe when it is dispatched.
    private func releaseOne(of lane: String) {
        if let id = self.held[lane]?.popProbe(using: &self.random) {
            self.lanes.probeReleased(lane, at: self.now.monotonic)
            self.makeReady(id, from: .held)
        }
        // A lane that nobody waits for must not wake anybody.
        if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
    }
}
