import Logging
import UpstreamHTTP
import WireFormats

// From the upstream's answer to what is done about it.
extension Engine {
    func callCompleted(_ id: EntryID, _ result: Result<HTTPResponse, TransferError>) {
        guard self.table.state(of: id) == .calling else {
            self.orphanedCalls = max(0, self.orphanedCalls - 1)
            return self.metrics.staleCompletion()
        }
        self.callsInFlight -= 1
        let exchange = Exchange(result)
        let (called, calledAt, attempts, probes, lane) = self.table.withEntry(id) { entry in
            defer {
                entry.job = nil
                entry.lastStatus = exchange.status
                entry.probes = []
            }
            return (entry.job, entry.calledAt, entry.attempts, entry.probes, entry.lane)
        }
        self.metrics.called(exchange, nanoseconds: self.now.monotonic - calledAt)
        guard let job = called else { preconditionFailure("a call without a job") }
        let attempt = Attempt(number: attempts, now: self.now.wall)
        self.apply(self.handler.interpret(exchange, job, attempt), to: id)
        self.probesEnded(probes, lane)
    }

    /// A probe whose answer did not speak of what it was to probe must not be waited for any longer.
    private func probesEnded(_ probes: Probes, _ lane: String?) {
        guard !probes.isEmpty else { return }
        if probes.contains(.upstream) { self.lanes.probeSaidNothing(Lanes.upstream, at: self.now.monotonic) }
        if probes.contains(.lane), let lane { self.lanes.probeSaidNothing(lane, at: self.now.monotonic) }
        if probes.contains(.breaker), self.breaker.state == .probing {
            self.breaker.probeAbandoned(at: self.now.monotonic)
            self.breakerMoved()
        }
    }

    private func apply(_ verdict: ErasedHandler.AnyVerdict, to id: EntryID) {
        switch verdict {
        case .answer(let answer):
            self.upstreamAnswered(id, laneIsFine: true)
            self.settle(id, as: .succeeded, because: nil, answer)
        case .refuse(let reason, let answer):
            self.upstreamAnswered(id, laneIsFine: true)
            self.settle(id, as: .rejected, because: reason, answer)
        case .call(let call):
            self.upstreamAnswered(id, laneIsFine: true)
            self.followUp(id, call)
        case .reject(let rejection): self.rejected(id, rejection)
        case .retry(let retry): self.retryLater(id, retry)
        case .hold(let reason, let scope): self.hold(id, reason, scope)
        }
    }

    private func upstreamAnswered(_ id: EntryID, laneIsFine: Bool) {
        self.answers += 1
        let was = self.breaker.state
        self.breaker.answered(at: self.now.monotonic)
        if was != .closed { self.breakerMoved() }
        guard laneIsFine, !self.lanes.areAllWell else { return }
        self.reopen(Lanes.upstream)
        if let lane = self.table[id].lane { self.reopen(lane) }
    }

    private func reopen(_ lane: String) {
        guard !self.lanes.isOpen(lane) else { return self.lanes.answered(lane) }
        self.lanes.answered(lane)
        self.logger.notice("lane open again", metadata: ["lane": "\(lane.isEmpty ? "all" : lane)"])
    }

    private func rejected(_ id: EntryID, _ rejection: Rejection) {
        let lane = self.table[id].lane ?? Lanes.upstream
        guard rejection.suggestsConfigurationFault else {
            self.upstreamAnswered(id, laneIsFine: true)
            return self.deadLetter(id, rejection)
        }
        self.upstreamAnswered(id, laneIsFine: false)
        let wasOpen = self.lanes.isOpen(lane)
        guard self.lanes.suspected(lane, at: self.now.monotonic, self.settings.lanes) else {
            return self.deadLetter(id, rejection)
        }
        self.held(id, rejection.reason, in: lane, wasOpen: wasOpen)
    }

    private func hold(_ id: EntryID, _ reason: Reason, _ scope: HoldScope) {
        self.upstreamAnswered(id, laneIsFine: false)
        let lane = scope == .upstream ? Lanes.upstream : self.table[id].lane ?? Lanes.upstream
        let wasOpen = self.lanes.isOpen(lane)
        self.lanes.hold(lane, at: self.now.monotonic, self.settings.lanes)
        self.held(id, reason, in: lane, wasOpen: wasOpen)
    }

    private func held(_ id: EntryID, _ reason: Reason, in lane: String, wasOpen: Bool) {
        self.table[id].lastReason = reason
        self.park(id, in: lane)
        guard wasOpen else { return }
        self.metrics.held()
        self.logger.error(
            "lane held: its configuration looks broken; its records wait",
            metadata: ["lane": "\(lane.isEmpty ? "all" : lane)", "reason": "\(reason.code)"]
        )
    }

    private func retryLater(_ id: EntryID, _ retry: Retry) {
        self.metrics.retried(retry.reason.code)
        self.noteFailure(id, retry)
        self.gateIfAsked(retry)
        let attempts = self.table[id].attempts
        guard self.table[id].countedFailures < self.settings.attempts else {
            let ending = Reason(
                retry.reason.code,
                "Given up after \(attempts) attempts. \(retry.reason.message)"
            )
            return self.deadLetter(id, Rejection(ending, kind: .exhausted, replayable: .yes))
        }
        let jitter = self.settings.backoff.delay(afterFailures: attempts, using: &self.random)
        // Those who were told the same time do not come back at the same time.
        let asked = retry.after.map { $0 + min(jitter, .seconds(1)) } ?? .zero
        self.table[id].state = .backingOff
        self.backingOff.add(id, due: self.now.after(max(asked, jitter)))
    }

    /// Counts the failure against whoever is to blame. A failure of the upstream counts against the record only
    /// if the upstream answered somebody else while this call was out: an outage uses up nobody's attempts, nor
    /// does an upstream that asks everybody to wait.
    private func noteFailure(_ id: EntryID, _ retry: Retry) {
        var counts = true
        if retry.blame == .upstream {
            let was = self.breaker.state
            self.breaker.failed(at: self.now.monotonic, using: &self.random)
            if self.breaker.state != was { self.breakerMoved() }
            counts =
                self.answers > self.table[id].answersAtStart && self.breaker.state == .closed
                && !retry.gatesUpstream
        } else {
            self.upstreamAnswered(id, laneIsFine: false)
        }
        self.table.withEntry(id) { entry in
            entry.countedFailures += counts ? 1 : 0
            entry.firstFailedAt = entry.firstFailedAt ?? self.now.wall
            entry.lastReason = retry.reason
        }
    }

    private func gateIfAsked(_ retry: Retry) {
        guard retry.gatesUpstream, let asked = retry.after else { return }
        let after = min(asked, RetryAfter.longestDelay)
        let until = self.now.after(after)
        guard until > self.gatedUntil else { return }
        self.gatedUntil = until
        self.metrics.gated(after)
        self.logger.notice("upstream asks to wait", metadata: ["seconds": "\(after.components.seconds)"])
    }

    func breakerMoved() {
        self.metrics.breakerMoved(self.breaker.state)
        switch self.breaker.state {
        case .closed:
            self.logger.notice("circuit breaker closed", metadata: ["upstream": "\(self.settings.upstream)"])
        case .open:
            self.logger.error("circuit breaker open", metadata: ["upstream": "\(self.settings.upstream)"])
        case .probing: break
        }
    }

    /// A call whose record is taken away: it cannot be unsent, and its slot stays taken until it is back.
    func abandonCall(_ entry: Entry) {
        self.callsInFlight -= 1
        self.orphanedCalls += 1
        self.probesEnded(entry.probes, entry.lane)
    }
}

extension Exchange {
    init(_ result: Result<HTTPResponse, TransferError>) {
        switch result {
        case .success(let response): self = .response(response)
        case .failure(let error): self = .failure(error)
        }
    }

    /// The HTTP status, if there was an answer.
    var status: Int? {
        guard case .response(let response) = self else { return nil }
        return response.status
    }
}
