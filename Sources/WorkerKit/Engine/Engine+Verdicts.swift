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
        let (called, calledAt, attempts, ambiguous, call, lane) = self.table.withEntry(id) { entry in
            defer {
                entry.job = nil
                entry.lastStatus = exchange.status
                if case .ambiguous = exchange { entry.ambiguousAttempts += 1 }
            }
            return (
                entry.job, entry.calledAt, entry.attempts, entry.ambiguousAttempts, entry.call, entry.lane
            )
        }
        let nanoseconds = self.now.monotonic - calledAt
        self.metrics.called(exchange, nanoseconds: nanoseconds)
        self.callEndedAtPace(exchange, nanoseconds: nanoseconds)
        guard let job = called else { preconditionFailure("a call without a job") }
        let attempt = Attempt(number: attempts, now: self.now.wall, ambiguous: ambiguous)
        self.apply(self.handling(id) { self.handler.interpret(exchange, job, attempt) }, to: id)
        self.callEnded(call, on: lane)
    }

    /// A probe whose answer did not speak of what it was to probe must not be waited for any longer.
    private func callEnded(_ call: UInt64, on lane: String?) {
        let was = self.breaker.state
        self.breaker.callEnded(call, at: self.now.monotonic)
        if self.breaker.state != was { self.breakerMoved() }
        guard !self.lanes.areAllWell else { return }
        self.lanes.callEnded(call, on: Lanes.upstream, at: self.now.monotonic)
        if let lane { self.lanes.callEnded(call, on: lane, at: self.now.monotonic) }
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
            self.upstreamAnswered(id, laneIsFine: !call.isSecondTry)
            self.followUp(id, call)
        case .giveUp(let retry, let answer):
            self.noteFailure(id, retry)
            self.gateIfAsked(retry)
            self.settle(id, as: .rejected, because: retry.reason, answer)
        case .reject(let rejection): self.rejected(id, rejection)
        case .retry(let retry): self.retryLater(id, retry)
        case .hold(let reason, let scope): self.hold(id, reason, scope)
        }
    }

    func upstreamAnswered(_ id: EntryID, laneIsFine: Bool) {
        let (call, attempts) = self.table.withEntry(id) { ($0.call, $0.attempts) }
        if attempts == 1 { self.evidence.note(failed: false, at: self.now.monotonic) }
        let was = self.breaker.state
        self.breaker.answered(call, at: self.now.monotonic)
        if self.breaker.state != was { self.breakerMoved() }
        if laneIsFine, !self.lanes.areAllWell { self.laneAnswered(id, call) }
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
        let asked = self.pause(of: retry).map { $0 + min(jitter, .seconds(1)) } ?? .zero
        if self.forward(id, waiting: max(asked, jitter)) { return }
        self.table[id].state = .backingOff
        self.backingOff.add(id, due: self.now.after(max(asked, jitter)))
    }

    /// Counts the failure against whoever is to blame. A failure of the upstream counts against the record only
    /// if others fared well meanwhile: an outage uses up nobody's attempts, nor does an upstream that fails now
    /// and then, nor one that asks everybody to wait.
    private func noteFailure(_ id: EntryID, _ retry: Retry) {
        let counts = retry.blame == .record || self.noteUpstreamFailure(id, retry)
        if retry.blame == .record { self.upstreamAnswered(id, laneIsFine: false) }
        self.table.withEntry(id) { entry in
            entry.countedFailures += counts ? 1 : 0
            entry.firstFailedAt = entry.firstFailedAt ?? self.now.wall
            entry.lastReason = retry.reason
        }
    }

    /// - Returns: whether the failure counts against the record all the same.
    private func noteUpstreamFailure(_ id: EntryID, _ retry: Retry) -> Bool {
        let (call, attempts, mark) = self.table.withEntry(id) { ($0.call, $0.attempts, $0.mark) }
        let judgement = self.evidence.judge(since: mark, at: self.now.monotonic)
        if attempts == 1 { self.evidence.note(failed: true, at: self.now.monotonic) }
        if judgement != .unknown { self.table[id].mark = self.evidence.mark }
        let was = self.breaker.state
        self.breaker.failed(call, at: self.now.monotonic, using: &self.random)
        if self.breaker.state != was { self.breakerMoved() }
        return judgement == .record && self.breaker.state == .closed && !retry.gatesUpstream
    }

    /// How long the record is asked to wait.
    private func pause(of retry: Retry) -> Duration? {
        retry.gatesUpstream ? retry.after.map { min($0, self.settings.longestGate) } : retry.after
    }

    /// Sends nothing until the upstream wants to be asked again, and then one probe: many calls at once are what
    /// it complained of.
    private func gateIfAsked(_ retry: Retry) {
        guard retry.gatesUpstream, let pause = self.pause(of: retry), pause > .zero else { return }
        let was = self.breaker.admission(at: self.now.monotonic)
        let letCallsThrough = self.breaker.gate(until: self.now.after(pause), at: self.now.monotonic)
        self.metrics.gated(pause)
        if was == .yes || was == .waitForProbe { self.metrics.breakerMoved(self.breaker.state) }
        // Those that were out already are told the same, and so are probes: once is enough for the log.
        guard letCallsThrough else { return }
        self.logger.notice("upstream asks to wait", metadata: ["seconds": "\(pause.components.seconds)"])
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
        self.callEnded(entry.call, on: entry.lane)
    }
}

extension Exchange {
    init(_ result: Result<HTTPResponse, TransferError>) {
        switch result {
        case .success(let response): self = .response(response)
        case .failure(let error): self = error.mayHaveBeenSent ? .ambiguous(error) : .failure(error)
        }
    }

    /// The HTTP status, if there was an answer.
    var status: Int? {
        guard case .response(let response) = self else { return nil }
        return response.status
    }
}
