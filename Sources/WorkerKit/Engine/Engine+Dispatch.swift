import Records
import UpstreamHTTP
import WireFormats

// From the ready queue to the upstream.
extension Engine {
    /// Begins attempts while there are slots and the upstream may be called.
    func dispatch() {
        while self.callsInFlight + self.orphanedCalls < self.settings.concurrency, !self.ready.isEmpty {
            guard let isProbe = self.admission() else { return }
            guard let id = self.ready.popFirst() else { return }
            guard self.table.state(of: id) == .ready else { continue }
            self.attempt(id, isProbe: isProbe)
        }
    }

    /// Whether a call may be made now, and whether it would be the breaker's probe; nil if none may.
    private func admission() -> Bool? {
        guard self.now.monotonic >= self.gatedUntil else { return nil }
        switch self.breaker.admission(at: self.now.monotonic) {
        case .yes: return false
        case .probe: return true
        case .notBefore, .waitForProbe: return nil
        }
    }

    /// When a call that may not be made now may be; nil if calls may be made, or if only an event can tell.
    var nextAdmission: Int64? {
        if !self.ready.isEmpty {
            if self.now.monotonic < self.gatedUntil { return self.gatedUntil }
            if case .notBefore(let until) = self.breaker.admission(at: self.now.monotonic) { return until }
        }
        // Only lanes that somebody waits for: the others can be probed by whoever comes.
        return self.held.isEmpty ? nil : self.held.keys.compactMap { self.lanes.nextProbe(of: $0) }.min()
    }

    private func attempt(_ id: EntryID, isProbe: Bool) {
        guard self.now.wall < self.table[id].deadline else { return self.expire(id) }
        if !self.followUps.isEmpty, let call = self.followUps[id] {
            return self.callOrPark(id, call, isProbe: isProbe)
        }
        let circumstances = Attempt(number: self.table[id].attempts + 1, now: self.now.wall)
        switch self.handler.plan(self.table[id].record, circumstances) {
        case .call(let call): self.callOrPark(id, call, isProbe: isProbe)
        case .answer(let answer): self.settle(id, as: .succeeded, because: nil, answer)
        case .refuse(let reason, let answer): self.settle(id, as: .rejected, because: reason, answer)
        case .reject(let rejection): self.deadLetter(id, rejection)
        }
    }

    private func callOrPark(_ id: EntryID, _ call: Call<any Sendable>, isProbe: Bool) {
        guard self.lanes.admits(Lanes.upstream, at: self.now.monotonic) else {
            return self.park(id, in: Lanes.upstream)
        }
        guard self.lanes.admits(call.lane, at: self.now.monotonic) else {
            self.lanes.probeDeclined(Lanes.upstream, at: self.now.monotonic)
            return self.park(id, in: call.lane)
        }
        if isProbe {
            self.breaker.probeStarted()
            self.breakerMoved()
            self.table[id].probes.insert(.breaker)
        }
        self.start(id, call)
    }

    /// One more call for a record whose last call has just been answered: at once where calls may be made, so
    /// that a drain can finish it, and else when its turn comes.
    func followUp(_ id: EntryID, _ call: Call<any Sendable>) {
        guard self.now.wall < self.table[id].deadline else { return self.expire(id) }
        let mayCall =
            self.now.monotonic >= self.gatedUntil && self.breaker.state == .closed
            && self.lanes.isOpen(Lanes.upstream) && self.lanes.isOpen(call.lane)
        guard !mayCall else { return self.start(id, call) }
        self.followUps[id] = call
        self.table[id].state = .ready
        self.ready.append(id)
    }

    /// Puts a call on its way; the entry holds a slot until it is back.
    private func start(_ id: EntryID, _ call: Call<any Sendable>) {
        if !self.followUps.isEmpty { self.followUps[id] = nil }
        var request = call.request
        if let trace = self.table[id].trace { request.headers += self.httpHeaders(of: trace) }
        var probes = Probes()
        if self.lanes.callStarted(Lanes.upstream) { probes.insert(.upstream) }
        if self.lanes.callStarted(call.lane) { probes.insert(.lane) }
        self.table.withEntry(id) { entry in
            entry.state = .calling
            entry.job = call.job
            entry.lane = call.lane
            entry.attempts += 1
            entry.answersAtStart = self.answers
            entry.calledAt = self.now.monotonic
            entry.probes.formUnion(probes)
        }
        self.callsInFlight += 1
        self.upstream.start(request, id: id.packed)
    }

    private func httpHeaders(of trace: TraceContext) -> [HTTPHeader] {
        self.traceHeaders(of: trace).compactMap { header in
            header.value.map { HTTPHeader(header.name, String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// The trace goes on with a span of our own, in every record and request that comes of this one.
    func traceHeaders(of trace: TraceContext) -> [RecordHeader] {
        trace.child(random: self.random.next()).headers
    }

    /// Keeps a record of a held lane until the lane's probe has been answered.
    func park(_ id: EntryID, in lane: String) {
        self.table[id].state = .held
        self.held[lane, default: Fifo()].append(id)
        self.metrics.parked()
    }

    /// Moves what is due from the waiting places to the ready queue, and lets held lanes send a probe.
    func wakeWhoIsDue() {
        while let id = self.backingOff.popDue(at: self.now.monotonic) {
            self.makeReady(id, from: .backingOff)
        }
        guard !self.held.isEmpty else { return }
        for lane in self.held.keys.sorted() {
            if self.lanes.isOpen(lane) {
                self.releaseAll(of: lane)
            } else if let probe = self.lanes.nextProbe(of: lane), probe <= self.now.monotonic {
                self.releaseOne(of: lane)
            }
        }
    }

    private func releaseAll(of lane: String) {
        guard var waiting = self.held.removeValue(forKey: lane) else { return }
        while let id = waiting.popFirst() { self.makeReady(id, from: .held) }
    }

    /// One record of a held lane asks again; the lane makes it its probe when it is dispatched.
    private func releaseOne(of lane: String) {
        if let id = self.held[lane]?.popFirst() {
            self.lanes.probeReleased(lane, at: self.now.monotonic)
            self.makeReady(id, from: .held)
        }
        // A lane that nobody waits for must not wake anybody.
        if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
    }

    private func makeReady(_ id: EntryID, from state: Entry.State) {
        guard self.table.state(of: id) == state else { return }
        self.table[id].state = .ready
        self.ready.append(id)
    }

    /// Once a second, ends the wait of those whose deadline has passed. Without it, a record would learn of its
    /// end only when it gets a slot, which an outage puts off.
    func sweepIfDue() {
        guard self.now.monotonic >= self.nextSweep else { return }
        self.nextSweep = self.now.after(.seconds(1))
        var places: Set<Entry.State> = []
        for id in self.table.ids where self.table[id].deadline <= self.now.wall {
            let state = self.table[id].state
            switch state {
            case .ready, .backingOff, .held:
                places.insert(state)
                self.expire(id)
            // The first waits for an earlier one of its key; the others are about to end by themselves.
            case .queued, .calling, .settling, .resending: break
            }
        }
        for place in places { self.forgetWhoLeft(place) }
    }

    /// Clears a waiting place of the ids of those that left it by expiring. They would take up room, and in the
    /// ready queue they would close the intake.
    private func forgetWhoLeft(_ place: Entry.State) {
        let isThere = { (id: EntryID) in self.table.state(of: id) == place }
        switch place {
        case .ready: self.ready.keep(where: isThere)
        case .backingOff: self.backingOff.keep(where: isThere)
        case .held:
            for lane in self.held.keys {
                self.held[lane]?.keep(where: isThere)
                if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
            }
        case .queued, .calling, .settling, .resending: break
        }
    }

    func expire(_ id: EntryID) {
        let last = self.table[id].lastReason.map { "; the last attempt ended with \($0.code)" } ?? ""
        let reason = Reason("deadline", "The record's deadline passed before it could be settled\(last).")
        self.settle(id, as: .expired, because: reason, nil)
    }
}
