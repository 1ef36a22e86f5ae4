import UpstreamHTTP
import WireFormats
package import WorkerKit

// What `DeviceCheckReply` has read, and what follows from it. Nothing but a 200 says anything about bits, and nothing
// but a refusal of a fresh token says anything about a device.
extension DeviceCheckHandler {
    package func interpret(_ exchange: Exchange, of job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        switch exchange {
        // A proxy that cannot be trusted, or certificates that are missing here. Never asked without them.
        case .failure(let error) where error.kind == .tls, .ambiguous(let error) where error.kind == .tls:
            return .hold(error.reason, scope: .lane)
        // Bits are absolute, so whether Apple has set them already does not matter.
        case .failure(let error), .ambiguous(let error):
            return self.again(Retry(error.reason, blame: .upstream), job, attempt)
        case .response(let response):
            let reply = DeviceCheckReply(
                to: job.step.operation,
                status: response.status,
                body: response.body
            )
            return self.verdict(on: reply, response, job, attempt)
        }
    }

    private func verdict(
        on reply: DeviceCheckReply,
        _ response: HTTPResponse,
        _ job: Job,
        _ attempt: Attempt
    ) -> Verdict<Job, Answer> {
        switch reply {
        case .state(let bits, let month): return self.known(bits, month, response, job, attempt)
        case .notSet: return self.known(nil, nil, response, job, attempt)
        case .done: return self.done(response, job, attempt)
        case .badDeviceToken: return self.tokenRefused(response, job, attempt)
        case .unauthorized: return self.unauthorized(job, attempt)
        case .badAuthorization:
            _ = self.tokens.refused(job.serial, of: job.check.header.teamID)
            return .hold(.badAuthorization, scope: .lane)
        case .badTimestamp:
            return self.secondTry(job, attempt) ?? .hold(.badTimestamp, scope: .lane)
        // Where Apple understands the requests of others, only the device token can be why it does not understand this.
        case .badPayload where self.tokens.hasServed(job.check.header.teamID):
            let reason = Reason.misconfigured(response.status)
            return .refuse(reason, self.answer(.unavailable, to: job, attempt, response))
        case .badPayload, .misconfigured: return .hold(.misconfigured(response.status), scope: .lane)
        case .proxyRefused: return .hold(.status(response.status), scope: .upstream)
        case .tooLarge:
            // A proxy's limit would meet honest tokens too, so that it says nothing against the device.
            return .refuse(.status(response.status), self.answer(.unavailable, to: job, attempt, response))
        case .unexplained: return self.unexplained(response, job, attempt)
        case .unreadable: return self.again(Retry(.unreadable, blame: .upstream), job, attempt)
        case .unavailable:
            let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
            let isForEverybody = delay != nil && [429, 503].contains(response.status)
            let retry = Retry(
                .status(response.status),
                blame: .upstream,
                after: delay,
                gatesUpstream: isForEverybody
            )
            return self.again(retry, job, attempt, response)
        }
    }

    /// A query is answered; an update that names one bit can now be made.
    private func known(
        _ bits: DeviceBits?,
        _ month: String?,
        _ response: HTTPResponse,
        _ job: Job,
        _ attempt: Attempt
    ) -> Verdict<Job, Answer> {
        self.tokens.accepted(job.serial, of: job.check.header.teamID)
        if case .reading(let change) = job.step {
            var job = job
            job.step = .writing(change.applied(to: bits), change)
            job.isSecondTry = false
            guard let call = self.call(job, now: attempt.now) else {
                return .refuse(.cannotSign, self.answer(.unavailable, to: job, attempt, response))
            }
            return .call(call)
        }
        var answer = self.answer(bits == nil ? .notSet : .state, to: job, attempt, response)
        answer.bits = bits
        answer.lastUpdateMonth = month
        return .answer(answer)
    }

    private func done(_ response: HTTPResponse, _ job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        self.tokens.accepted(job.serial, of: job.check.header.teamID)
        guard case .writing(let bits, let change) = job.step else {
            return .answer(self.answer(.valid, to: job, attempt, response))
        }
        if let requestedAt = job.check.requestedAt(by: attempt.now),
            let subject = UpdateMemory.Subject(job.check)
        {
            self.memory.note(change, from: requestedAt, for: subject, now: attempt.now)
        }
        var answer = self.answer(.updated, to: job, attempt, response)
        answer.bits = bits
        return .answer(answer)
    }

    /// Apple says the same of a forged token, of an old one, of one that was used before, and of one of the other
    /// environment. The first is said only of a token that cannot be one of the next two: Apple may have used it up in any
    /// earlier call, be it one that was answered with an error.
    private func tokenRefused(
        _ response: HTTPResponse,
        _ job: Job,
        _ attempt: Attempt
    ) -> Verdict<Job, Answer> {
        self.tokens.accepted(job.serial, of: job.check.header.teamID)
        guard !self.wasShown(job, attempt), job.age(now: attempt.now).isFresh(by: self.settings.limits) else {
            return .refuse(.expiredToken, self.answer(.expiredToken, to: job, attempt, response))
        }
        return .refuse(.invalidToken, self.answer(.invalidToken, to: job, attempt, response))
    }

    /// Whether Apple may have seen the device token before. A case that is played through by hand is one call.
    private func wasShown(_ job: Job, _ attempt: Attempt) -> Bool {
        job.isAfterReading || attempt.ambiguous > 0 || self.tokens.isLive && attempt.number > 1
    }

    /// A new token may help if this one has become old. If a new one is refused too, it is the key.
    private func unauthorized(_ job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        let isHopeful = self.tokens.refused(job.serial, of: job.check.header.teamID)
        return self.secondTry(job, attempt, evenIfLater: isHopeful) ?? .hold(.unauthorized, scope: .lane)
    }

    /// The same again with a new token and a new time, at once; nil if that has been tried.
    private func secondTry(_ job: Job, _ attempt: Attempt, evenIfLater isHopeful: Bool = false)
        -> Verdict<Job, Answer>?
    {
        // A case that is played through by hand is one call, and says by its number which.
        let isFirst = self.tokens.isLive ? !job.isSecondTry : job.tries(attempt.number) == 1
        guard isFirst || isHopeful, attempt.number < self.settings.attempts * 2 else { return nil }
        var job = job
        job.isSecondTry = true
        return self.call(job, now: attempt.now).map { .call($0) }
    }

    /// Such an answer has no known meaning. The device token, which the device has chosen, may be its cause: the record
    /// becomes no dead letter, and the answer speaks neither against the lane nor against the device.
    private func unexplained(_ response: HTTPResponse, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if attempt.failures + 1 < self.settings.unexplainedAttempts, self.hasTime(for: .zero, job, attempt) {
            return .retry(Retry(.unexplained, blame: .record))
        }
        return .refuse(.unexplained, self.answer(.unavailable, to: job, attempt, response))
    }

    /// Asks once more while the device token is good, and then says that nothing is known.
    private func again(_ retry: Retry, _ job: Job, _ attempt: Attempt, _ response: HTTPResponse? = nil)
        -> Verdict<Job, Answer>
    {
        let mayTry = job.tries(attempt.number) < self.settings.attempts
        guard mayTry, self.hasTime(for: retry.after ?? .zero, job, attempt) else {
            var last = retry
            last.reason.message = "Given up while nothing was known. \(retry.reason.message)"
            return .giveUp(last, self.answer(.unavailable, to: job, attempt, response))
        }
        return .retry(retry)
    }

    /// Whether the token is still good when the next call would be made, at the latest.
    private func hasTime(for asked: Duration, _ job: Job, _ attempt: Attempt) -> Bool {
        let wait = max(asked, self.settings.backoff.bound(afterFailures: attempt.number))
        return job.age(now: attempt.now).waited + wait <= self.settings.limits.fresh
    }
}

extension Reason {
    fileprivate static let invalidToken = Reason(
        "device_token.invalid",
        "Apple refused the device token while it was fresh: it is not one, or belongs to the other environment."
    )
    fileprivate static let expiredToken = Reason(
        "device_token.expired",
        "Apple refused the device token, which was old or had been used: this says nothing against the device."
    )
    fileprivate static let unauthorized = Reason(
        "devicecheck.unauthorized",
        "Apple does not take a new token either: the key is revoked, or the key id or the team id is another."
    )
    fileprivate static let badAuthorization = Reason(
        "devicecheck.bad_authorization",
        "Apple calls our token badly formatted: the key may be one for another service."
    )
    fileprivate static let badTimestamp = Reason(
        "devicecheck.bad_timestamp",
        "Apple does not take our time: the clock of this machine is wrong."
    )
    fileprivate static let unexplained = Reason(
        "devicecheck.unexplained",
        "Apple refused the request without a reason that is known."
    )
    fileprivate static let unreadable = Reason(
        "devicecheck.not_an_answer",
        "The response holds no answer of DeviceCheck."
    )

    /// 400: a field of our request. Others: the path, the method, or what the team may do.
    fileprivate static func misconfigured(_ status: Int) -> Reason {
        status == 400
            ? Reason("devicecheck.bad_request", "Apple refuses our request: a fault of this worker.")
            : Self.status(status)
    }

    /// The upstream must not choose our labels: codes are of the numbers that there are.
    fileprivate static func status(_ status: Int) -> Reason {
        let code = (100...599).contains(status) ? "http.\(status)" : "http.other"
        return Reason(code, "Apple answered with HTTP status \(status).")
    }
}
