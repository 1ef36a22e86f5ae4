import Records
import UpstreamHTTP
import WireFormats

// From the ready queue to the upstream.
extension Engine {
    /// Begins attempts while there are slots and somebody may be called.
    func dispatch() {
        for endpoint in self.endpoints.indices { self.unblock(endpoint) }
        // Whom a record has to call is known once it is planned. Where there is nobody to call, none is planned.
        while self.hasSlot, self.endpoints.admitSome(at: self.now.monotonic), let id = self.nextReady() {
            guard self.table.state(of: id) == .ready else { continue }
            self.attempt(id)
        }
    }

    private func nextReady() -> EntryID? {
        let isInDoubt = !self.endpoints.areAllWell(at: self.now.monotonic)
        return self.ready.pop(isInDoubt: isInDoubt, using: &self.random) { id in
            guard self.table.state(of: id) == .ready, self.table[id].isOutlier else { return true }
            return self.outliersInFlight < self.outlierLimit
        }
    }

    /// A ready record that has not failed yet.
    private func nextFresh() -> EntryID? {
        guard self.ready.freshCount > 0 else { return nil }
        return self.ready.pop(isInDoubt: true, using: &self.random) { _ in false }
    }

    /// Slots that records which fail where others succeed may take: if each of their calls hangs until its timeout,
    /// they must not take them all.
    private var outlierLimit: Int { max(1, self.callLimit / 4) }

    private var hasSlot: Bool {
        self.callsInFlight + self.orphanedCalls < self.callLimit && self.hasRoomForACall
            && self.nextByRate == nil
    }

    /// Lets those go on that wait for this endpoint, as far as it may be called.
    private func unblock(_ endpoint: Int) {
        while !self.endpoints[endpoint].blocked.isEmpty, self.hasSlot,
            self.mayCall(endpoint)
        {
            // Before one that has failed is the next probe, those that nobody has looked at yet say whom they have to call.
            if self.endpoints[endpoint].blocked.freshCount == 0,
                self.endpoints[endpoint].breaker.state != .closed, let id = self.nextFresh()
            {
                if self.table.state(of: id) == .ready { self.attempt(id) }
                continue
            }
            guard
                let id = self.endpoints[endpoint].blocked.pop(
                    isInDoubt: !self.endpoints[endpoint].breaker.isWell(at: self.now.monotonic),
                    using: &self.random,
                    mayFail: { _ in true }
                )
            else { return }
            guard self.table.state(of: id) == .blocked else { continue }
            self.table[id].state = .ready
            self.attempt(id)
        }
    }

    /// Whether an endpoint may be called now, and has a slot left of its share.
    private func mayCall(_ endpoint: Int) -> Bool {
        self.endpoints[endpoint].admits(at: self.now.monotonic)
            && self.endpoints[endpoint].callsInFlight < self.slots(of: endpoint)
    }

    /// Slots that one endpoint may take. It may borrow the others' while it gives slots back soon. If each of its calls
    /// hangs until its timeout, there have to be some left for the others.
    private func slots(of endpoint: Int) -> Int {
        let isAlone = self.endpoints.count == 1
        return isAlone || self.endpoints[endpoint].isQuick
            ? self.callLimit : self.callLimit - self.callLimit / 4
    }

    /// When a call that may not be made now may be; nil if calls may be made, or if only an event can tell.
    var nextAdmission: Int64? {
        let now = self.now.monotonic
        let someAreBlocked = self.endpoints.haveBlocked
        if !self.ready.isEmpty, !self.endpoints.admitSome(at: now),
            let until = self.endpoints.nextAdmission(at: now, where: { _ in true })
        {
            return until
        }
        if !self.ready.isEmpty || someAreBlocked, let until = self.nextByRate ?? self.nextByLimit {
            return until
        }
        // Only those that somebody waits for: others can be probed by whoever comes.
        let unblocking =
            someAreBlocked ? self.endpoints.nextAdmission(at: now) { !$0.blocked.isEmpty } : nil
        let probe =
            self.held.isEmpty ? nil : self.held.keys.compactMap { self.lanes.nextProbe(of: $0) }.min()
        guard let unblocking, let probe else { return unblocking ?? probe }
        return min(unblocking, probe)
    }

    private func attempt(_ id: EntryID) {
        if self.isDeadly(id) { return self.rejectDeadly(id) }
        guard !self.isExpired(id) else { return self.expire(id) }
        if !self.followUps.isEmpty, let call = self.followUps[id] { return self.callOrPark(id, call) }
        let circumstances = self.table.withEntry(id) {
            $0.circumstances(of: $0.attempts + 1, at: self.now.wall)
        }
        switch self.handling(id, { self.handler.plan(self.table[id].record, circumstances) }) {
        case .call(let call): self.callOrPark(id, call)
        case .answer(let answer): self.settle(id, as: .succeeded, because: nil, answer)
        case .refuse(let reason, let answer): self.settle(id, as: .rejected, because: reason, answer)
        case .reject(let rejection): self.deadLetter(id, rejection)
        }
    }

    private func callOrPark(_ id: EntryID, _ call: Call<any Sendable>) {
        guard self.mayCall(call.endpoint) else {
            let hasFailed = self.table.withEntry(id) { entry in
                entry.state = .blocked
                return entry.hasFailed || entry.holds > 0
            }
            return self.endpoints[call.endpoint].blocked.append(id, hasFailed: hasFailed)
        }
        guard self.lanes.admits(Lanes.upstream, at: self.now.monotonic) else {
            return self.keepHeld(id, in: Lanes.upstream)
        }
        guard self.lanes.admits(call.lane, at: self.now.monotonic) else {
            self.lanes.probeDeclined(Lanes.upstream, at: self.now.monotonic)
            return self.keepHeld(id, in: call.lane)
        }
        self.start(id, call)
    }

    /// One more call for a record whose last call has just been answered: at once where calls may be made, so
    /// that a drain can finish it, and else when its turn comes.
    func followUp(_ id: EntryID, _ call: Call<any Sendable>) {
        guard !self.isExpired(id) else { return self.expire(id) }
        let endpoint = self.endpoints[call.endpoint]
        let mayCall =
            endpoint.breaker.state == .closed && endpoint.isWithinRate(at: self.now.monotonic)
            && self.lanes.isOpen(Lanes.upstream) && self.lanes.isOpen(call.lane)
        guard !mayCall else { return self.start(id, call) }
        if !call.isPerishable { self.followUps[id] = call }
        self.makeReady(id)
    }

    /// Puts a call on its way; the entry holds a slot until it is back.
    private func start(_ id: EntryID, _ call: Call<any Sendable>) {
        if !self.followUps.isEmpty { self.followUps[id] = nil }
        var request = call.request
        if let trace = self.table[id].trace { request.headers += self.httpHeaders(of: trace) }
        self.lastCall += 1
        let number = self.lastCall
        let wasClosed = self.endpoints[call.endpoint].breaker.state == .closed
        self.endpoints[call.endpoint].breaker.callStarted(number, at: self.now.monotonic)
        if !wasClosed { self.breakerMoved(call.endpoint) }
        self.lanes.callStarted(number, on: Lanes.upstream)
        self.lanes.callStarted(number, on: call.lane)
        self.table.withEntry(id) { entry in
            entry.state = .calling
            entry.job = call.job
            entry.lane = call.lane
            entry.attempts += 1
            entry.call = number
            entry.endpoint = call.endpoint
            entry.isFirstThere = entry.asked.insert(call.endpoint)
            if entry.attempts == 1 {
                entry.mark = self.endpoints[call.endpoint].evidence.mark
                entry.markedEndpoint = call.endpoint
            }
            entry.calledAt = self.now.monotonic
        }
        self.callsInFlight += 1
        self.endpoints[call.endpoint].callsInFlight += 1
        if self.table[id].isOutlier { self.outliersInFlight += 1 }
        self.callStartedAtPace(to: call.endpoint)
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

    /// Moves what is due from the waiting places to the ready queue, and lets held lanes send a probe.
    func wakeWhoIsDue() {
        while let id = self.backingOff.popDue(at: self.now.monotonic) {
            self.makeReady(id, from: .backingOff)
        }
        if !self.held.isEmpty { self.wakeHeldLanes() }
    }

    func makeReady(_ id: EntryID, from state: Entry.State) {
        guard self.table.state(of: id) == state else { return }
        self.makeReady(id)
    }

    /// Lets a record wait for a slot.
    func makeReady(_ id: EntryID) {
        let hasFailed = self.table.withEntry(id) { entry in
            entry.state = .ready
            return entry.hasFailed
        }
        self.ready.append(id, hasFailed: hasFailed)
    }

    /// Once a second, ends the wait of those whose deadline has passed. Without it, a record would learn of its
    /// end only when it gets a slot, which an outage puts off.
    func sweepIfDue() {
        guard self.now.monotonic >= self.nextSweep else { return }
        self.nextSweep = self.now.after(.seconds(1))
        var places: Set<Entry.State> = []
        for id in self.table.ids where self.isExpired(id) {
            let state = self.table[id].state
            switch state {
            case .ready, .blocked, .backingOff, .held:
                places.insert(state)
                self.expire(id)
            // The first waits for an earlier one of its key; the others are about to end by themselves.
            case .queued, .calling, .condemned, .settling, .resending, .waiting, .written: break
            }
        }
        for place in places { self.forgetWhoLeft(place) }
        self.budgets.forgetIdle(at: self.now.monotonic)
        self.watchHeldIntake()
        self.resolveHeadsOfLine()
    }

    /// Clears a waiting place of the ids of those that left it by expiring. They would take up room, and in the
    /// ready queue they would close the intake.
    private func forgetWhoLeft(_ place: Entry.State) {
        let isThere = { (id: EntryID) in self.table.state(of: id) == place }
        switch place {
        case .ready: self.ready.keep(where: isThere)
        case .blocked:
            for index in self.endpoints.indices { self.endpoints[index].blocked.keep(where: isThere) }
        case .backingOff: self.backingOff.keep(where: isThere)
        case .held:
            for lane in self.held.keys {
                self.held[lane]?.keep(where: isThere)
                if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
            }
        case .queued, .calling, .condemned, .settling, .resending, .waiting, .written: break
        }
    }

    func expire(_ id: EntryID) {
        // The handler is asked about an expired record too, and that may be what it has died of.
        if self.isDeadly(id) { return self.rejectDeadly(id) }
        let last = self.table[id].lastReason.map { "; the last attempt ended with \($0.code)" } ?? ""
        let reason = Reason("deadline", "The record's deadline passed before it could be settled\(last).")
        let (record, circumstances) = self.table.withEntry(id) {
            ($0.record, $0.circumstances(of: $0.attempts + 1, at: self.now.wall))
        }
        let answer = self.handling(id) { self.handler.expired(record, circumstances) }
        self.settle(id, as: .expired, because: reason, answer)
    }
}
