import Logging
import ServiceKit
import UpstreamHTTP
import WireFormats

// From the upstream's answer to the handler's verdict, and to the next step of the record.
extension Engine {
    /// Takes in the completion of a call and acts on the handler's verdict. If the record is no longer in
    /// hand, the completion only frees its slot.
    func callCompleted(_ id: EntryID, _ result: Result<HTTPResponse, TransferError>) {
        guard let call = self.table.call(of: id) else {
            self.table.orphanEnded()
            return self.metrics.staleCompletion()
        }
        let exchange = Exchange(result)
        self.table[id].spans?.callEnded(exchange)
        let attempt = self.table.withEntry(id) { entry in
            defer {
                entry.lastStatus = exchange.status
                if case .ambiguous = exchange { entry.ambiguousAttempts += 1 }
            }
            return entry.circumstances(of: entry.attempts, at: self.now.wall)
        }
        let nanoseconds = self.now.monotonic - call.began
        self.metrics.called(exchange, nanoseconds: nanoseconds)
        self.endpoints[call.endpoint].isQuick = nanoseconds <= 1_000_000_000
        self.callEndedAtPace(exchange, at: call.endpoint, nanoseconds: nanoseconds)
        let verdict = self.handling(id) {
            self.handler.interpret(exchange, of: call.job, attempt, with: self.handlerMemory)
        }
        // The handler may keep parts of this answer for the next call, so its bytes count as in hand until
        // the record leaves.
        if case .call = verdict, case .response(let response) = exchange {
            self.table.keepAnswer(to: id, bytes: response.body.count)
        }
        self.apply(verdict, on: call, to: id)
        self.probeEnded(call)
    }

    /// Ends the wait for a probe whose call has ended. The answer may have said nothing about the breaker or
    /// the lane that the call was to probe, and then another probe has to be sent.
    private func probeEnded(_ call: CallInFlight) {
        self.moveBreaker(call.endpoint) { $0.callEnded(call.number) }
        guard !self.lanes.areAllWell else { return }
        self.lanes.callEnded(call.number, on: Lanes.upstream, at: self.now.monotonic)
        self.lanes.callEnded(call.number, on: call.lane, at: self.now.monotonic)
    }

    private func apply(_ verdict: ErasedHandler.AnyVerdict, on call: CallInFlight, to id: EntryID) {
        switch verdict {
        case .answer(let answer):
            self.upstreamAnswered(call, laneIsFine: true)
            self.settle(id, as: .succeeded, because: nil, answer)
        case .refuse(let reason, let answer):
            self.upstreamAnswered(call, laneIsFine: true)
            self.settle(id, as: .rejected, because: reason, answer)
        case .refuseInDoubt(let reason, let answer):
            self.refusedInDoubt(id, because: reason, answer: answer, by: call)
        case .call(let next):
            self.upstreamAnswered(call, laneIsFine: !next.isSecondTry)
            self.followUp(id, next)
        case .giveUp(let retry, let answer):
            self.noteFailure(of: call, for: id, retry)
            self.gateIfAsked(call.endpoint, retry)
            self.settle(id, as: .rejected, because: retry.reason, answer)
        case .reject(let rejection): self.rejected(id, rejection, by: call)
        case .retry(let retry) where retry.gatesLane: self.gateLane(of: id, retry, by: call)
        case .retry(let retry): self.retryLater(id, retry, after: call)
        case .hold(let reason, let scope): self.hold(id, reason, scope: scope, by: call)
        }
    }

    /// Notes that an endpoint has given an answer, whatever it said of the record.
    ///
    /// - Parameter laneIsFine: Whether the answer says nothing against the configuration of the call's lane.
    func upstreamAnswered(_ call: CallInFlight, laneIsFine: Bool) {
        if call.isFirstThere {
            self.endpoints[call.endpoint].evidence.note(failed: false, at: self.now.monotonic)
        }
        self.moveBreaker(call.endpoint) {
            $0.answered(call.number, isOutlier: call.isOutlier, at: self.now.monotonic)
        }
        guard laneIsFine else { return }
        self.lanes.noteGoodAnswer(call.number, of: call.lane, at: self.now.monotonic)
        if !self.lanes.areAllWell { self.laneAnswered(call) }
    }

    /// Lets a record wait for its next attempt: in a retry topic, or in hand. After too many failures that
    /// count it becomes a dead letter.
    private func retryLater(_ id: EntryID, _ retry: Retry, after call: CallInFlight) {
        self.metrics.retried(retry.reason.code)
        self.noteFailure(of: call, for: id, retry)
        self.gateIfAsked(call.endpoint, retry)
        let attempts = self.table[id].attempts
        guard self.table[id].countedFailures < self.settings.attempts else {
            let ending = Reason(
                retry.reason.code,
                "Given up after \(attempts) attempts. \(retry.reason.message)"
            )
            return self.deadLetter(id, Rejection(ending, kind: .exhausted, replayable: .yes))
        }
        let jitter = self.settings.backoff.delay(afterFailures: attempts, using: &self.random)
        // The jitter, of at most a second, keeps records that were told the same time from coming back at the
        // same time.
        let asked = self.pause(of: retry).map { $0 + min(jitter, .seconds(1)) } ?? .zero
        if self.forward(id, waiting: max(asked, jitter)) { return }
        let isInDoubt = self.endpoints[call.endpoint].breaker.state != .closed
        self.backOff(id, for: max(asked, jitter), because: isInDoubt && retry.after == nil ? .doubt : .other)
    }

    /// Lets a record wait in hand for its next attempt.
    func backOff(_ id: EntryID, for wait: Duration, because cause: RecordState.BackoffCause = .other) {
        self.table.move(id, to: .backingOff(self.table.followUp(of: id), cause))
        self.backingOff.add(id, due: self.now.after(wait))
    }

    /// Notes a failed call.
    ///
    /// A failure of the upstream counts against the record only if other records fared well meanwhile. So no
    /// record uses up its attempts in an outage, nor at an upstream that fails now and then or asks everybody
    /// to wait.
    private func noteFailure(of call: CallInFlight, for id: EntryID, _ retry: Retry) {
        let counts = retry.blame == .record || self.noteUpstreamFailure(of: call, for: id, retry)
        if retry.blame == .record { self.upstreamAnswered(call, laneIsFine: false) }
        self.table.withEntry(id) { entry in
            entry.countedFailures += counts ? 1 : 0
            entry.firstFailedAt = entry.firstFailedAt ?? self.now.wall
            entry.lastReason = retry.reason
        }
    }

    /// Notes a failure of the upstream.
    ///
    /// - Returns: Whether the failure counts against the record all the same.
    private func noteUpstreamFailure(of call: CallInFlight, for id: EntryID, _ retry: Retry) -> Bool {
        let endpoint = call.endpoint
        let judgement = self.judgement(of: id, at: endpoint)
        if call.isFirstThere { self.endpoints[endpoint].evidence.note(failed: true, at: self.now.monotonic) }
        self.table.withEntry(id) { entry in
            if judgement != .unknown { entry.mark = self.endpoints[endpoint].evidence.mark }
            entry.hasFailed = true
            entry.isOutlier = self.endpoints[endpoint].breaker.hasAnsweredLately(at: self.now.monotonic)
        }
        self.moveBreaker(endpoint) {
            $0.failed(call.number, isOutlier: call.isOutlier, at: self.now.monotonic, using: &self.random)
        }
        let isWell = self.endpoints[endpoint].breaker.state == .closed
        return judgement == .record && isWell && !retry.gatesUpstream
    }

    /// Returns whose fault a failure is, by how first calls of other records ended at this endpoint since the
    /// record's mark. If the mark is from another endpoint, nothing can be said yet, and a new mark is set.
    private func judgement(of id: EntryID, at endpoint: Int) -> BlameEvidence.Judgement {
        let (mark, markedEndpoint) = self.table.withEntry(id) { ($0.mark, $0.markedEndpoint) }
        guard markedEndpoint == endpoint else {
            self.table.withEntry(id) {
                $0.mark = self.endpoints[endpoint].evidence.mark
                $0.markedEndpoint = endpoint
            }
            return .unknown
        }
        return self.endpoints[endpoint].evidence.judge(since: mark, at: self.now.monotonic)
    }

    /// Returns how long the record is asked to wait; nil if the wait is left to the engine.
    private func pause(of retry: Retry) -> Duration? {
        retry.gatesUpstream ? retry.after.map { min($0, self.settings.longestGate) } : retry.after
    }

    /// Opens the breaker of an endpoint that asked everybody to wait. No call is made until the wait is over,
    /// and then a single probe: many calls at once are what the endpoint complained of.
    private func gateIfAsked(_ endpoint: Int, _ retry: Retry) {
        guard retry.gatesUpstream, let pause = self.pause(of: retry), pause > .zero else { return }
        let was = self.endpoints[endpoint].breaker.state
        let letCallsThrough = self.endpoints[endpoint].breaker
            .gate(until: self.now.after(pause), at: self.now.monotonic)
        self.metrics.gated(pause)
        switch was {
        case .closed, .halfOpen: self.count(breakerOf: endpoint)
        case .open: break
        }
        // Calls that were in flight already, and probes, are told the same. Only the first such answer is
        // logged.
        guard letCallsThrough else { return }
        var metadata = self.metadata(of: endpoint)
        metadata["seconds"] = "\(pause.components.seconds)"
        self.logger.notice("upstream asks to wait", metadata: metadata)
    }

    /// Drops a record. A call for it cannot be taken back, so its slot stays taken until the completion comes.
    func drop(_ id: EntryID) {
        let call = self.table.call(of: id)
        self.endSpans(of: id)
        self.table.remove(id)
        if let call { self.probeEnded(call) }
    }
}

extension Exchange {
    /// Makes an exchange of a completion. A failed transfer is ambiguous if the request may have reached the
    /// upstream.
    init(_ result: Result<HTTPResponse, TransferError>) {
        switch result {
        case .success(let response): self = .response(response)
        case .failure(let error): self = error.mayHaveBeenSent ? .ambiguous(error) : .failure(error)
        }
    }

    /// The HTTP status of the answer; nil if there was none.
    var status: Int? {
        guard case .response(let response) = self else { return nil }
        return response.status
    }
}
