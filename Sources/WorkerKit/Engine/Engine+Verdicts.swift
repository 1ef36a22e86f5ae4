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
        self.endpoints[self.table[id].endpoint].callsInFlight -= 1
        if self.table[id].isOutlier { self.outliersInFlight -= 1 }
        let exchange = Exchange(result)
        let (called, ended, attempt) = self.table.withEntry(id) { entry in
            defer {
                entry.job = nil
                entry.lastStatus = exchange.status
                if case .ambiguous = exchange { entry.ambiguousAttempts += 1 }
            }
            return (
                entry.job, EndedCall(of: entry), entry.circumstances(of: entry.attempts, at: self.now.wall)
            )
        }
        let nanoseconds = self.now.monotonic - ended.began
        self.metrics.called(exchange, nanoseconds: nanoseconds)
        self.endpoints[ended.endpoint].isQuick = nanoseconds <= 1_000_000_000
        self.callEndedAtPace(exchange, at: ended.endpoint, nanoseconds: nanoseconds)
        guard let job = called else { preconditionFailure("a call without a job") }
        let verdict = self.handling(id) { self.handler.interpret(exchange, job, attempt) }
        // What has been told so far goes along with the next call.
        if case .call = verdict, case .response(let response) = exchange {
            self.table.keepAnswer(to: id, bytes: response.body.count)
        }
        self.apply(verdict, to: id)
        self.probeEnded(ended)
    }

    /// A probe whose answer did not speak of what it was to probe must not be waited for any longer.
    private func probeEnded(_ ended: EndedCall) {
        self.moveBreaker(ended.endpoint) { $0.callEnded(ended.number) }
        guard !self.lanes.areAllWell else { return }
        self.lanes.callEnded(ended.number, on: Lanes.upstream, at: self.now.monotonic)
        if let lane = ended.lane { self.lanes.callEnded(ended.number, on: lane, at: self.now.monotonic) }
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
            self.gateIfAsked(id, retry)
            self.settle(id, as: .rejected, because: retry.reason, answer)
        case .reject(let rejection): self.rejected(id, rejection)
        case .retry(let retry): self.retryLater(id, retry)
        case .hold(let reason, let scope): self.hold(id, reason, scope)
        }
    }

    func upstreamAnswered(_ id: EntryID, laneIsFine: Bool) {
        let (call, endpoint, isFirst, isOutlier, lane) = self.table.withEntry(id) {
            ($0.call, $0.endpoint, $0.isFirstThere, $0.isOutlier, $0.lane)
        }
        if isFirst { self.endpoints[endpoint].evidence.note(failed: false, at: self.now.monotonic) }
        self.moveBreaker(endpoint) { $0.answered(call, isOutlier: isOutlier, at: self.now.monotonic) }
        guard laneIsFine else { return }
        if let lane { self.lanes.noteGoodAnswer(call, of: lane, at: self.now.monotonic) }
        if !self.lanes.areAllWell { self.laneAnswered(id, call) }
    }

    private func retryLater(_ id: EntryID, _ retry: Retry) {
        self.metrics.retried(retry.reason.code)
        self.noteFailure(id, retry)
        self.gateIfAsked(id, retry)
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
        let isInDoubt = self.endpoints[self.table[id].endpoint].breaker.state != .closed
        self.table.withEntry(id) { entry in
            entry.state = .backingOff
            entry.hasFailedInDoubt = isInDoubt && retry.after == nil
        }
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
        let (call, endpoint, isFirst) = self.table.withEntry(id) { ($0.call, $0.endpoint, $0.isFirstThere) }
        let judgement = self.judgement(of: id, at: endpoint)
        if isFirst { self.endpoints[endpoint].evidence.note(failed: true, at: self.now.monotonic) }
        if judgement != .unknown { self.table[id].mark = self.endpoints[endpoint].evidence.mark }
        let wasOutlier = self.table.withEntry(id) { entry in
            defer {
                entry.hasFailed = true
                entry.isOutlier = self.endpoints[endpoint].breaker.hasAnsweredLately(at: self.now.monotonic)
            }
            return entry.isOutlier
        }
        self.moveBreaker(endpoint) {
            $0.failed(call, isOutlier: wasOutlier, at: self.now.monotonic, using: &self.random)
        }
        let isWell = self.endpoints[endpoint].breaker.state == .closed
        return judgement == .record && isWell && !retry.gatesUpstream
    }

    /// How others fared at this endpoint since the record last failed there. Nothing is known at its first failure
    /// there, if it has called another before.
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

    /// How long the record is asked to wait.
    private func pause(of retry: Retry) -> Duration? {
        retry.gatesUpstream ? retry.after.map { min($0, self.settings.longestGate) } : retry.after
    }

    /// Sends an endpoint nothing until it wants to be asked again, and then one probe: many calls at once are what
    /// it complained of.
    private func gateIfAsked(_ id: EntryID, _ retry: Retry) {
        guard retry.gatesUpstream, let pause = self.pause(of: retry), pause > .zero else { return }
        let endpoint = self.table[id].endpoint
        let was = self.endpoints[endpoint].breaker.admission(at: self.now.monotonic)
        let letCallsThrough = self.endpoints[endpoint].breaker
            .gate(until: self.now.after(pause), at: self.now.monotonic)
        self.metrics.gated(pause)
        switch was {
        case .yes, .waitForProbe: self.count(breakerOf: endpoint)
        case .probe, .notBefore: break
        }
        // Those that were out already are told the same, and so are probes: once is enough for the log.
        guard letCallsThrough else { return }
        var metadata = self.metadata(of: endpoint)
        metadata["seconds"] = "\(pause.components.seconds)"
        self.logger.notice("upstream asks to wait", metadata: metadata)
    }

    /// A call whose record is taken away: it cannot be unsent, and its slot stays taken until it is back.
    func abandonCall(_ entry: Entry) {
        self.callsInFlight -= 1
        self.endpoints[entry.endpoint].callsInFlight -= 1
        if entry.isOutlier { self.outliersInFlight -= 1 }
        self.orphanedCalls += 1
        self.probeEnded(EndedCall(of: entry))
    }
}

/// A call that is back, or that nobody waits for any more.
private struct EndedCall {
    var number: UInt64
    var endpoint: Int
    var lane: String?
    /// Monotonic nanoseconds.
    var began: Int64

    init(of entry: Entry) {
        self.number = entry.call
        self.endpoint = entry.endpoint
        self.lane = entry.lane
        self.began = entry.calledAt
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
