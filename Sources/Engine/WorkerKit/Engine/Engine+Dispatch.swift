import Records
import ServiceKit
import UpstreamHTTP
import WireFormats

// From the ready queue to the upstream.
extension Engine {
    /// Begins attempts while there are slots and some endpoint may be called.
    func dispatch() {
        for endpoint in self.endpoints.indices { self.unblock(endpoint) }
        // The endpoint of a record is known only after the handler has planned it. So while no endpoint may
        // be called, no record is planned.
        while self.hasSlot, self.endpoints.admitSome(at: self.now.monotonic), let id = self.nextReady() {
            guard self.table.kind(of: id) == .ready else { continue }
            self.attempt(id)
        }
    }

    private func nextReady() -> EntryID? {
        let isInDoubt = !self.endpoints.areAllWell(at: self.now.monotonic)
        return self.ready.pop(isInDoubt: isInDoubt, using: &self.random) { id in
            guard self.table.kind(of: id) == .ready, self.table[id].isOutlier else { return true }
            return self.table.outlierCalls < self.outlierLimit
        }
    }

    /// Takes a ready record out for which no call has failed yet; nil if there is none.
    private func nextFresh() -> EntryID? {
        guard self.ready.freshCount > 0 else { return nil }
        return self.ready.pop(isInDoubt: true, using: &self.random) { _ in false }
    }

    /// The number of slots that records which fail where others succeed may take. If each of their calls
    /// hangs until its timeout, other records must still find slots.
    private var outlierLimit: Int { max(1, self.callLimit / 4) }

    /// Whether one more call may begin: a slot is free, and memory and this worker's rate allow the call.
    private var hasSlot: Bool {
        self.slotsTaken < self.callLimit && self.hasRoomForACall
            && self.nextByRate == nil
    }

    /// Attempts the records that wait for this endpoint, as long as it may be called.
    private func unblock(_ endpoint: Int) {
        while !self.endpoints[endpoint].blocked.isEmpty, self.hasSlot,
            self.mayCall(endpoint)
        {
            // The endpoint of a ready record is known once it is planned. Where an endpoint is in doubt, fresh ones
            // are planned by turns with those that wait here, which came first and may all have the same fault.
            if self.isTurnOfUnplanned(at: endpoint), let id = self.nextFresh() {
                if self.table.kind(of: id) == .ready { self.attempt(id) }
                continue
            }
            guard
                let id = self.endpoints[endpoint].blocked.pop(
                    isInDoubt: !self.endpoints[endpoint].breaker.isWell(at: self.now.monotonic),
                    using: &self.random,
                    mayFail: { _ in true }
                )
            else { return }
            guard self.table.kind(of: id) == .blocked else { continue }
            self.table.move(id, to: .ready(self.table.followUp(of: id)))
            self.attempt(id)
        }
    }

    /// Returns whether the next probe of an endpoint in doubt comes from the ready queue. A record that has failed is
    /// the next probe only if no fresh record can be.
    private func isTurnOfUnplanned(at endpoint: Int) -> Bool {
        guard self.endpoints[endpoint].breaker.state != .closed else { return false }
        self.endpoints[endpoint].isTurnOfUnplanned.toggle()
        return self.endpoints[endpoint].isTurnOfUnplanned || self.endpoints[endpoint].blocked.freshCount == 0
    }

    /// Returns whether an endpoint may be called now, and has a slot left of its share.
    private func mayCall(_ endpoint: Int) -> Bool {
        self.endpoints[endpoint].admits(at: self.now.monotonic)
            && self.table.calls(to: endpoint) < self.callsAllowed(to: endpoint)
    }

    private func callsAllowed(to endpoint: Int) -> Int {
        let bySlots = self.slots(of: endpoint) * self.callsPerSlot(of: endpoint)
        return min(bySlots, self.endpoints[endpoint].identity.callsLimit ?? bySlots)
    }

    /// Returns the number of slots that one endpoint may take.
    ///
    /// An endpoint may use all slots while it gives them back soon (`isQuick`). If each of its calls may hang
    /// until its timeout, it gets an equal share of the slots while others are in use, and otherwise all but a
    /// quarter, so that another one can begin.
    private func slots(of endpoint: Int) -> Int {
        guard self.endpoints.count > 1, !self.endpoints[endpoint].isQuick else { return self.callLimit }
        let isShared = self.endpoints.indices.contains { other in
            other != endpoint && self.endpoints[other].wasCalledLately(at: self.now.monotonic)
        }
        return isShared
            ? max(1, self.callLimit / self.endpoints.count) : self.callLimit - self.callLimit / 4
    }

    /// The earliest monotonic time at which a call may be made that may not be made now, a probe of a held
    /// lane included. Nil if no record waits for a time: records may be called for now, or wait for an event.
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
        // Only endpoints with blocked records count. An endpoint without them needs no wake-up: the next
        // record that has to call it can be its probe.
        let unblocking =
            someAreBlocked ? self.endpoints.nextAdmission(at: now) { !$0.blocked.isEmpty } : nil
        let probe =
            self.held.isEmpty ? nil : self.held.keys.compactMap { self.lanes.nextProbe(of: $0) }.min()
        guard let unblocking, let probe else { return unblocking ?? probe }
        return min(unblocking, probe)
    }

    /// Plans a ready record and acts on the plan, unless its deadline has passed or it has killed too many
    /// processes. A record with a follow-up call goes on with that call instead of a plan.
    private func attempt(_ id: EntryID) {
        if self.isDeadly(id) { return self.rejectDeadly(id) }
        guard !self.isExpired(id) else { return self.expire(id) }
        if let next = self.table.followUp(of: id) { return self.callOrWait(id, next.call) }
        let circumstances = self.table.withEntry(id) {
            $0.circumstances(of: $0.attempts + 1, at: self.now.wall)
        }
        self.table[id].spans?.planBegan()
        let plan = self.handling(id) {
            self.handler.plan(self.table[id].record, circumstances, with: self.handlerMemory)
        }
        self.table[id].spans?.planEnded()
        switch plan {
        case .call(let call): self.callOrWait(id, call)
        case .answer(let answer): self.settle(id, as: .succeeded, because: nil, answer)
        case .refuse(let reason, let answer): self.settle(id, as: .rejected, because: reason, answer)
        case .reject(let rejection): self.deadLetter(id, rejection)
        }
    }

    /// Makes a call for a ready record, or puts the record where it waits: `blocked` if the endpoint may not be
    /// called now, `held` if the lane is held.
    private func callOrWait(_ id: EntryID, _ call: Call<any Sendable>) {
        guard self.mayCall(call.endpoint) else {
            self.table.move(id, to: .blocked(self.table.followUp(of: id)))
            let hasFailed = self.table.withEntry(id) { $0.hasFailed || $0.holds > 0 }
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

    /// Makes one more call for a record whose last call has just been answered.
    ///
    /// The call is made at once if its endpoint and its lane allow it, so that a drain can finish the record.
    /// Otherwise the record waits in the ready queue. A perishable call is then dropped, and the record is
    /// planned anew.
    func followUp(_ id: EntryID, _ call: Call<any Sendable>) {
        guard !self.isExpired(id) else { return self.expire(id) }
        let endpoint = self.endpoints[call.endpoint]
        let mayCall =
            endpoint.breaker.state == .closed && endpoint.isWithinRate(at: self.now.monotonic)
            && self.lanes.isOpen(Lanes.upstream) && self.lanes.isOpen(call.lane)
        guard !mayCall else { return self.start(id, call) }
        self.makeReady(id, with: call.isPerishable ? nil : FollowUp(call))
    }

    /// Starts a call. Its record holds a slot until the completion comes back.
    private func start(_ id: EntryID, _ call: Call<any Sendable>) {
        self.lastCall += 1
        let number = self.lastCall
        self.moveBreaker(call.endpoint) { $0.callStarted(number, at: self.now.monotonic) }
        self.lanes.callStarted(number, on: Lanes.upstream)
        self.lanes.callStarted(number, on: call.lane)
        let inFlight = self.table.withEntry(id) { entry in
            entry.lastLane = call.lane
            entry.lastEndpoint = call.endpoint
            entry.attempts += 1
            if entry.attempts == 1 {
                entry.mark = self.endpoints[call.endpoint].evidence.mark
                entry.markedEndpoint = call.endpoint
            }
            return CallInFlight(
                number: number,
                endpoint: call.endpoint,
                lane: call.lane,
                job: call.job,
                began: self.now.monotonic,
                isFirstThere: entry.asked.insert(call.endpoint),
                isOutlier: entry.isOutlier
            )
        }
        self.table.move(id, to: .calling(inFlight))
        self.endpoints[call.endpoint].calledAt = self.now.monotonic
        self.callStartedAtPace(to: call.endpoint)
        switch call.content {
        case .request(var request):
            if let trace = self.callTrace(of: id, request, call.lane) {
                request.headers += self.httpHeaders(of: trace)
            }
            self.upstream.start(request, id: id.packed)
        // A request of several records belongs to several traces, so it carries none.
        case .part(let part):
            _ = self.callTrace(of: id, nil, call.lane)
            self.upstream.start(part, id: id.packed)
        }
    }

    private func httpHeaders(of trace: TraceContext) -> [HTTPHeader] {
        trace.headers.compactMap { header in
            header.value.map { HTTPHeader(header.name, String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// Moves the records whose next attempt is due to the ready queue, and lets held lanes send a probe.
    func wakeWhoIsDue() {
        while let id = self.backingOff.popDue(at: self.now.monotonic) {
            self.makeReady(id, from: .backingOff)
        }
        if !self.held.isEmpty { self.wakeHeldLanes() }
    }

    /// Lets a record wait for a slot if it is still in this state.
    func makeReady(_ id: EntryID, from kind: RecordState.Kind) {
        guard self.table.kind(of: id) == kind else { return }
        self.makeReady(id, with: self.table.followUp(of: id))
    }

    /// Lets a record wait for a slot.
    ///
    /// - Parameter next: The call to make then; nil if the record is to be planned.
    func makeReady(_ id: EntryID, with next: FollowUp? = nil) {
        self.table.move(id, to: .ready(next))
        self.ready.append(id, hasFailed: self.table[id].hasFailed)
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
        for place in places { self.forgetWhoLeft(place) }
        self.budgets.forgetIdle(at: self.now.monotonic)
        self.watchHeldIntake()
        self.resolveHeadsOfLine()
    }

    /// Removes the ids of records that have expired from one waiting place. They would take up room there,
    /// and in the ready queue they would close the intake.
    private func forgetWhoLeft(_ place: RecordState.Kind) {
        let isThere = { (id: EntryID) in self.table.kind(of: id) == place }
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
        case .arrived, .queued, .calling, .condemned, .settling, .resending, .waiting, .written: break
        }
    }

    /// Settles a record as `expired`. The handler may add to the outcome what it knows.
    func expire(_ id: EntryID) {
        // The handler is called for an expired record too, and that call may be the one that kills the
        // process.
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
