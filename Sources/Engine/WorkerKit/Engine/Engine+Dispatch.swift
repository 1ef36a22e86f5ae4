import Logging
import Records
import ServiceKit
import UpstreamHTTP
import WireFormats

// From the ready queue to the upstream. `Dispatch` chooses the records and keeps the gates; here the handler is
// asked for their calls, and the calls go out.
extension Engine {
    /// Begins attempts while there are slots and some endpoint may be called.
    func makeCalls() {
        for endpoint in self.dispatch.gates.endpoints.indices {
            while self.hasRoomForACall,
                let id = self.dispatch.nextBlocked(
                    at: endpoint,
                    in: &self.table,
                    at: self.now.monotonic,
                    using: &self.random
                )
            {
                self.attempt(id)
            }
        }
        while self.hasRoomForACall,
            let id = self.dispatch.nextReady(
                in: &self.table,
                at: self.now.monotonic,
                using: &self.random
            )
        {
            self.attempt(id)
        }
    }

    /// Ends calls that hang while other records wait for their slots.
    func cutOverdueCalls() {
        let cut = self.dispatch.cutOverdue(in: &self.table, at: self.now.monotonic)
        guard !cut.isEmpty else { return }
        for (id, _) in cut {
            self.upstream.cutShort(id.packed)
            self.metrics.callCut()
        }
        guard self.now.monotonic >= self.nextCutNotice else { return }
        self.nextCutNotice = self.now.after(.seconds(60))
        self.logger.warning(
            "calls hang while others wait, and are cut short",
            metadata: self.metadata(of: cut[0].endpoint).merging(["calls": "\(cut.count)"]) { own, _ in own }
        )
    }

    /// Plans a ready record and acts on the plan, unless its deadline has passed or it has killed too many
    /// processes. A record with a follow-up call goes on with that call instead of a plan.
    private func attempt(_ id: EntryID) {
        if self.isDeadly(id) { return self.rejectDeadly(id) }
        guard !self.isExpired(id) else { return self.expire(id) }
        if self.putOff(id) { return }
        if let next = self.table.followUp(of: id) { return self.callOrWait(id, next.call) }
        if let reason = self.reasonToSkip(id) { return self.settle(id, as: .rejected, because: reason, nil) }
        let circumstances = self.table.withEntry(id) {
            $0.circumstances(of: $0.attempts + 1, at: self.now.wall, proven: self.deadlineNow)
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

    /// Lets a record wait that its publisher does not want to be worked on yet, and rejects one for which there is no such
    /// time.
    ///
    /// - Returns: False if the record may be worked on now.
    private func putOff(_ id: EntryID) -> Bool {
        let (notBefore, deadline) = self.table.withEntry(id) { (NotBefore($0.record), $0.deadline) }
        let refusal: Reason
        switch notBefore {
        case .absent: return false
        case .at(let time) where self.delay(of: id, until: time) <= .zero: return false
        case .malformed:
            refusal = Reason("not_before.malformed", "The header not-before is no time of RFC 3339.")
        case .at(let time) where time >= deadline:
            refusal = Reason(
                "not_before.after_deadline",
                "The time of the header not-before is not before the record's deadline."
            )
        case .at where !self.hasRoomForDelay(of: id):
            refusal = Reason(
                "not_before.too_many",
                "The worker has put aside half as many records as it can, and takes no more delayed ones."
            )
        case .at(let time):
            self.table[id].wasPutOff = true
            self.backOff(id, for: self.delay(of: id, until: time), because: .delay)
            return true
        }
        self.settle(id, as: .rejected, because: refusal, nil)
        return true
    }

    /// Returns how long a record has to wait for a time that lies before its deadline.
    ///
    /// The wall clock may be behind. So the wait leaves enough of the record's life, by the monotonic clock, for a call:
    /// what its publisher has left of it, or a tenth of `worker.deadline` if that is less.
    private func delay(of id: EntryID, until time: Int64) -> Duration {
        let (deadline, end) = self.table.withEntry(id) { ($0.deadline, $0.expiresAt) }
        let left = end.subtractingClamped(self.now.monotonic) / 1_000_000
        let forCalls = min(
            deadline.subtractingClamped(time),
            self.settings.deadline.wholeMilliseconds / 10
        )
        return .milliseconds(
            min(time.subtractingClamped(self.deadlineNow), left.subtractingClamped(forCalls))
        )
    }

    /// Returns whether a delayed record may wait. One publisher's delayed records leave half of the room to others. A record
    /// that was accepted once waits on, whatever came after it.
    private func hasRoomForDelay(of id: EntryID) -> Bool {
        let (parking, index, wasPutOff) = self.table.withEntry(id) {
            ($0.parking, $0.assignment, $0.wasPutOff)
        }
        guard parking == .none, !wasPutOff else { return true }
        guard let lot = self.lot, self.canPark(in: index) else {
            return self.table.count <= self.settings.recordsLimit / 2
        }
        return self.parkedTickets < lot.limit / 2
    }

    private func reasonToSkip(_ id: EntryID) -> Reason? {
        self.settings.skip.reasonToSkip(self.table[id].record) { record in
            self.handling(id) { self.handler.object(record) }
        }
    }

    private func callOrWait(_ id: EntryID, _ call: Call<any Sendable>) {
        switch self.dispatch.callWanted(by: id, call, in: &self.table, at: self.now.monotonic) {
        case .calling(let change):
            self.tell(change)
            self.send(call, for: id)
        case .blocked: break
        case .held: self.metrics.keptHeld()
        }
    }

    /// Makes one more call for a record whose last call has just been answered, at once or after a wait.
    func followUp(_ id: EntryID, _ call: Call<any Sendable>) {
        guard !self.isExpired(id) else { return self.expire(id) }
        guard
            let change = self.dispatch.followUpWanted(
                by: id,
                call,
                in: &self.table,
                at: self.now.monotonic
            )
        else { return }
        self.tell(change)
        self.send(call, for: id)
    }

    /// Hands a call that has begun to the upstream.
    private func send(_ call: Call<any Sendable>, for id: EntryID) {
        switch call.content {
        case .request(var request):
            if let trace = self.callTrace(of: id, request, call.lane) {
                request.headers += self.httpHeaders(of: trace)
            }
            self.upstream.start(request, id: id.packed)
        // A request of several records belongs to several traces, so it carries none.
        case .part(let part):
            _ = self.callTrace(of: id, nil, call.lane)
            self.upstream.start(part, id: id.packed, failures: self.table[id].failuresAlone)
        }
    }

    private func httpHeaders(of trace: TraceContext) -> [HTTPHeader] {
        trace.headers.compactMap { header in
            header.value.map { HTTPHeader(header.name, String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// Lets a record wait for a slot, to be planned.
    func makeReady(_ id: EntryID) { self.dispatch.queues.makeReady(id, with: nil, in: &self.table) }

    /// Lets a record wait in hand for its next attempt.
    func backOff(_ id: EntryID, for wait: Duration, because cause: RecordState.BackoffCause = .other) {
        self.dispatch.queues.backOff(id, until: self.now.after(wait), because: cause, in: &self.table)
    }

    /// Gives this worker its share of the fleet's rates. The share follows the partitions: a worker with a
    /// third of them makes a third of the calls.
    func shareRate() {
        let share = Double(self.assignments.count) / Double(max(1, self.consumedPartitions))
        self.dispatch.gates.shareChanged(to: share, at: self.now.monotonic)
    }

    // MARK: changes to tell

    /// Reports a change of a breaker in the metrics and, unless it is half-open, in the log; and the lanes that
    /// are open again.
    ///
    /// - Parameter reason: The reason of the failure that has opened the breaker; nil if no failure has changed it.
    func tell(_ change: Dispatch.Change, because reason: Reason? = nil) {
        if let endpoint = change.breaker {
            self.count(breakerOf: endpoint)
            var metadata = self.metadata(of: endpoint)
            let name = self.dispatch.gates.endpoints[endpoint].identity.name
            switch self.dispatch.gates.endpoints[endpoint].breaker.state {
            case .closed:
                self.metrics.closed(name)
                self.logger.notice("circuit breaker closed", metadata: metadata)
            case .open:
                if let reason {
                    self.metrics.opened(name, because: reason.code)
                    metadata["reason"] = "\(reason.code)"
                }
                self.logger.error("circuit breaker open", metadata: metadata)
            case .halfOpen: break
            }
        }
        for lane in change.openLanes {
            self.logger.notice("lane open again", metadata: ["lane": "\(Self.shown(lane))"])
        }
    }

    func count(breakerOf endpoint: Int) {
        let state = self.dispatch.gates.endpoints[endpoint]
        self.metrics.breakerMoved(state.breaker.state, of: state.identity.name)
    }

    /// Returns the upstream and the endpoint as log metadata.
    func metadata(of endpoint: Int) -> Logger.Metadata {
        let name = self.dispatch.gates.endpoints[endpoint].identity.name
        var metadata: Logger.Metadata = ["upstream": "\(self.settings.upstream)"]
        if !name.isEmpty { metadata["endpoint"] = "\(name)" }
        return metadata
    }
}
