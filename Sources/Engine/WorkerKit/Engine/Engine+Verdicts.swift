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
            if let orphan = self.table.orphanEnded(id) {
                let wasTried = if case .failure(let error) = result { error.wasTried } else { true }
                self.dispatch.gates.orphanEnded(orphan, wasTried: wasTried, at: self.now.monotonic)
            }
            return self.metrics.staleCompletion()
        }
        let exchange = Exchange(result)
        self.table[id].spans?.callEnded(exchange)
        if case .failure(let error) = result, !error.wasTried {
            return self.callNotTried(id, call, because: error)
        }
        let attempt = self.table.withEntry(id) { entry in
            defer {
                entry.lastStatus = exchange.status
                if case .ambiguous = exchange { entry.ambiguousAttempts += 1 }
            }
            return entry.circumstances(of: entry.attempts, at: self.now.wall, proven: self.deadlineNow)
        }
        self.metrics.called(exchange, nanoseconds: self.now.monotonic - call.began)
        self.dispatch.callCompleted(call, exchange, in: &self.table, at: self.now.monotonic)
        let verdict = self.handling(id) {
            self.handler.interpret(exchange, of: call.job, attempt, with: self.handlerMemory)
        }
        self.logIfWanted(call, of: id, answered: exchange, with: verdict)
        // The handler may keep parts of this answer for the next call, so its bytes count as in hand until
        // the record leaves.
        if case .call = verdict, case .response(let response) = exchange {
            self.table.keepAnswer(to: id, bytes: response.body.count)
        }
        self.apply(verdict, on: call, to: id)
        self.dispatch.gates.callEnded(call, at: self.now.monotonic)
    }

    /// Takes back a call that was not tried. Nothing counts against its record, nor for or against its endpoint; only the
    /// rate has been used.
    ///
    /// If requests before it failed, they may have failed for the sake of their own records, so this one need not wait.
    private func callNotTried(_ id: EntryID, _ call: CallInFlight, because error: TransferError) {
        self.table.withEntry(id) { entry in
            entry.attempts -= 1
            if call.isFirstThere { entry.asked.remove(call.endpoint) }
        }
        if error.isNotReady {
            self.letLaneWait(of: id, self.wait(for: id, call, because: error), by: call)
        } else {
            self.makeReady(id)
        }
        self.dispatch.gates.callEnded(call, at: self.now.monotonic)
    }

    /// Asks the handler how long a lane has to wait whose request cannot be written yet, and for which reason.
    /// A handler that has no such answer gets the pause of a held lane.
    private func wait(for id: EntryID, _ call: CallInFlight, because error: TransferError) -> Retry {
        let attempt = self.table.withEntry(id) {
            $0.circumstances(of: $0.attempts + 1, at: self.now.wall, proven: self.deadlineNow)
        }
        let verdict = self.handling(id) {
            self.handler.interpret(.failure(error), of: call.job, attempt, with: self.handlerMemory)
        }
        guard case .retry(let retry) = verdict else {
            return .lane(error.reason, after: self.settings.lanes.firstPause)
        }
        return retry
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
        self.tell(
            self.dispatch.answered(
                call,
                laneIsFine: laneIsFine,
                in: &self.table,
                at: self.now.monotonic,
                using: &self.random
            )
        )
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
        let isInDoubt = self.dispatch.gates.endpoints[call.endpoint].breaker.state != .closed
        self.backOff(id, for: max(asked, jitter), because: isInDoubt && retry.after == nil ? .doubt : .other)
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
        let (counts, change) = self.dispatch.failed(
            id,
            call,
            gatesUpstream: retry.gatesUpstream,
            in: &self.table,
            at: self.now.monotonic,
            using: &self.random
        )
        self.tell(change, because: retry.reason)
        return counts
    }

    /// Returns how long the record is asked to wait; nil if the wait is left to the engine.
    private func pause(of retry: Retry) -> Duration? {
        retry.gatesUpstream ? retry.after.map { min($0, self.settings.longestGate) } : retry.after
    }

    /// Opens the breaker of an endpoint that asked everybody to wait. No call is made until the wait is over,
    /// and then a single probe: many calls at once are what the endpoint complained of.
    private func gateIfAsked(_ endpoint: Int, _ retry: Retry) {
        guard retry.gatesUpstream, let pause = self.pause(of: retry), pause > .zero else { return }
        let was = self.dispatch.gates.gated(endpoint, until: self.now.after(pause), at: self.now.monotonic)
        self.metrics.gated(pause)
        switch was {
        case .closed, .halfOpen:
            self.count(breakerOf: endpoint)
            let name = self.dispatch.gates.endpoints[endpoint].identity.name
            self.metrics.opened(name, because: retry.reason.code)
        case .open: break
        }
        // Calls that were in flight already, and probes, are told the same. Only the first such answer is
        // logged.
        guard was == .closed else { return }
        var metadata = self.metadata(of: endpoint)
        metadata["seconds"] = "\(pause.components.seconds)"
        self.logger.notice("upstream asks to wait", metadata: metadata)
    }

    /// Drops a record. A call for it cannot be taken back, so its slot stays taken until the completion comes.
    func drop(_ id: EntryID) {
        let call = self.table.call(of: id)
        self.endSpans(of: id)
        self.table.remove(id)
        if let call { self.dispatch.gates.callOrphaned(call, at: self.now.monotonic) }
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
