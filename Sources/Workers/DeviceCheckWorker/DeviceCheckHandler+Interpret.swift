import ServiceKit
import UpstreamHTTP
import WireFormats
package import WorkerKit

// This file turns answers of Apple, as `DeviceCheckReply` has read them, into verdicts. Only a status 200
// says anything about bits, and only the refusal of a fresh device token says anything about a device.
extension DeviceCheckHandler {
    /// Decides what the result of a call means for its record: an answer, a further call, a retry, a refusal
    /// or a hold.
    package func interpret(
        _ exchange: Exchange,
        of job: Job,
        _ attempt: Attempt,
        with memory: inout DeviceCheckMemory
    ) -> Verdict<Job, Answer> {
        switch exchange {
        // A proxy that is not trusted, or missing root certificates. Apple is never asked without verified
        // TLS.
        case .failure(let error) where error.kind == .tls, .ambiguous(let error) where error.kind == .tls:
            return .hold(error.reason, scope: .lane)
        // A call sets bits to given values, so it can be repeated even if Apple may already have set them.
        case .failure(let error), .ambiguous(let error):
            return self.again(Retry(error.reason, blame: .upstream), job, in: attempt)
        case .response(let response):
            let reply = DeviceCheckReply(
                to: job.step.operation,
                status: response.status,
                body: response.body
            )
            return self.verdict(on: reply, response, of: job, at: attempt, with: &memory)
        }
    }

    /// Decides about a response by what it means.
    private func verdict(
        on reply: DeviceCheckReply,
        _ response: HTTPResponse,
        of job: Job,
        at attempt: Attempt,
        with memory: inout DeviceCheckMemory
    ) -> Verdict<Job, Answer> {
        switch reply {
        case .state(let bits, let month):
            return self.known(bits, month, from: response, of: job, in: attempt, with: &memory)
        case .notSet: return self.known(nil, nil, from: response, of: job, in: attempt, with: &memory)
        case .done: return self.done(response, job, at: attempt, with: &memory)
        case .badDeviceToken: return self.tokenRefused(response, job, at: attempt, with: &memory)
        case .unauthorized: return self.unauthorized(job, attempt, with: &memory)
        case .badAuthorization:
            _ = self.providerTokenRefused(job, with: &memory)
            return .hold(.badAuthorization, scope: .lane)
        case .badTimestamp:
            return self.secondTry(job, attempt, with: &memory) ?? .hold(.badTimestamp, scope: .lane)
        // Apple has understood other requests of this team, so only the device token can be the cause.
        case .badPayload where memory.tokens.hasServed(job.check.header.teamID):
            let reason = Reason.misconfigured(response.status)
            return .refuse(reason, self.answer(.unavailable, to: job, at: attempt, response: response))
        case .badPayload, .misconfigured: return .hold(.misconfigured(response.status), scope: .lane)
        case .proxyRefused: return .hold(.status(response.status), scope: .upstream)
        case .tooLarge:
            // A size limit of a proxy would also refuse honest tokens, so the answer says nothing about the
            // device.
            return .refuse(
                .status(response.status),
                self.answer(.unavailable, to: job, at: attempt, response: response)
            )
        case .unexplained: return self.unexplained(response, job, at: attempt)
        case .unreadable: return self.again(Retry(.unreadable, blame: .upstream), job, in: attempt)
        case .unavailable:
            let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
            let isForEverybody = delay != nil && [429, 503].contains(response.status)
            let retry = Retry(
                .status(response.status),
                blame: .upstream,
                after: delay,
                gatesUpstream: isForEverybody
            )
            return self.again(retry, job, in: attempt, after: response)
        }
    }

    /// Takes the bits from a query. A query is answered with them; an update of one bit goes on to its second
    /// call, which sets both bits.
    private func known(
        _ bits: DeviceBits?,
        _ month: String?,
        from response: HTTPResponse,
        of job: Job,
        in attempt: Attempt,
        with memory: inout DeviceCheckMemory
    ) -> Verdict<Job, Answer> {
        memory.tokens.accepted(job.serial, of: job.check.header.teamID)
        if case .reading(let change) = job.step {
            var job = job
            job.step = .writing(change.applied(to: bits), change)
            job.isSecondTry = false
            guard let call = self.call(job, now: attempt.now, with: &memory.tokens) else {
                return .refuse(
                    .cannotSign,
                    self.answer(.unavailable, to: job, at: attempt, response: response)
                )
            }
            return .call(call)
        }
        var answer = self.answer(bits == nil ? .notSet : .state, to: job, at: attempt, response: response)
        answer.bits = bits
        answer.lastUpdateMonth = month
        return .answer(answer)
    }

    /// Answers a validation or an update that Apple has accepted. An update is remembered, so that an older
    /// one cannot undo it.
    private func done(
        _ response: HTTPResponse,
        _ job: Job,
        at attempt: Attempt,
        with memory: inout DeviceCheckMemory
    ) -> Verdict<Job, Answer> {
        memory.tokens.accepted(job.serial, of: job.check.header.teamID)
        guard case .writing(let bits, let change) = job.step else {
            return .answer(self.answer(.valid, to: job, at: attempt, response: response))
        }
        if let requestedAt = job.check.requestedAt(by: attempt.now),
            let subject = UpdateMemory.Subject(job.check)
        {
            memory.updates.note(change, from: requestedAt, for: subject, now: attempt.now)
        }
        var answer = self.answer(.updated, to: job, at: attempt, response: response)
        answer.bits = bits
        return .answer(answer)
    }

    /// Decides about a device token that Apple has refused.
    ///
    /// Apple gives the same answer for a forged token, an old one, one that was used before, and one of the
    /// other environment. The worker calls a token invalid only if it can be neither old nor used before.
    /// Apple may have used up the token in any earlier call for the record, also in a call that was answered
    /// with an error.
    private func tokenRefused(
        _ response: HTTPResponse,
        _ job: Job,
        at attempt: Attempt,
        with memory: inout DeviceCheckMemory
    ) -> Verdict<Job, Answer> {
        memory.tokens.accepted(job.serial, of: job.check.header.teamID)
        guard !self.wasShown(job, attempt), job.age(now: attempt.proven).isFresh(by: self.settings.limits)
        else {
            return .refuse(
                .expiredToken,
                self.answer(.expiredToken, to: job, at: attempt, response: response)
            )
        }
        return .refuse(.invalidToken, self.answer(.invalidToken, to: job, at: attempt, response: response))
    }

    /// Returns whether Apple may have seen the device token before. A case that is tried by hand is a single
    /// call.
    private func wasShown(_ job: Job, _ attempt: Attempt) -> Bool {
        job.isAfterReading || attempt.ambiguous > 0 || !attempt.isTrial && attempt.number > 1
    }

    /// Decides about a provider token that Apple has refused. It may have become too old, so a new token is
    /// tried. If Apple refuses a new one, too, the key is at fault and the lane is held.
    private func unauthorized(_ job: Job, _ attempt: Attempt, with memory: inout DeviceCheckMemory)
        -> Verdict<Job, Answer>
    {
        let isHopeful = self.providerTokenRefused(job, with: &memory)
        return self.secondTry(job, attempt, evenIfLater: isHopeful, with: &memory)
            ?? .hold(.unauthorized, scope: .lane)
    }

    /// Drops the provider token of a call.
    ///
    /// - Returns: whether a new one is likely to help.
    private func providerTokenRefused(_ job: Job, with memory: inout DeviceCheckMemory) -> Bool {
        let team = job.check.header.teamID
        guard let key = self.keys.key(of: team) else { return false }
        return memory.tokens.refused(job.serial, of: team, with: key)
    }

    /// Returns the same call with a new provider token and a new time, to be made at once; nil if that was
    /// tried before, or if the record has had twice as many calls as `attempts` allows.
    ///
    /// - Parameter isHopeful: whether a further try is worthwhile although there was one.
    private func secondTry(
        _ job: Job,
        _ attempt: Attempt,
        evenIfLater isHopeful: Bool = false,
        with memory: inout DeviceCheckMemory
    ) -> Verdict<Job, Answer>? {
        // A case that is tried by hand is a single call; the number of the attempt says which one.
        let isFirst = attempt.isTrial ? job.tries(attempt.number) == 1 : !job.isSecondTry
        guard isFirst || isHopeful, attempt.number < self.settings.attempts * 2 else { return nil }
        var job = job
        job.isSecondTry = true
        return self.call(job, now: attempt.now, with: &memory.tokens).map { .call($0) }
    }

    /// Decides about a refusal without a known meaning. The device token, which the device has chosen, may be
    /// the cause. The record therefore becomes no dead letter, and its answer counts neither against the lane
    /// nor against the device.
    private func unexplained(_ response: HTTPResponse, _ job: Job, at attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if attempt.failures + 1 < self.settings.unexplainedAttempts, self.hasTime(for: .zero, job, attempt) {
            return .retry(Retry(.unexplained, blame: .record))
        }
        return .refuse(.unexplained, self.answer(.unavailable, to: job, at: attempt, response: response))
    }

    /// Retries as long as the device token is fresh and tries are left. Then the answer is `unavailable`.
    private func again(_ retry: Retry, _ job: Job, in attempt: Attempt, after response: HTTPResponse? = nil)
        -> Verdict<Job, Answer>
    {
        let mayTry = job.tries(attempt.number) < self.settings.attempts
        guard mayTry, self.hasTime(for: retry.after ?? .zero, job, attempt) else {
            var last = retry
            last.reason.message = "Given up while nothing was known. \(retry.reason.message)"
            return .giveUp(last, self.answer(.unavailable, to: job, at: attempt, response: response))
        }
        return .retry(retry)
    }

    /// Returns whether the device token is still fresh at the latest time of the next call.
    private func hasTime(for asked: Duration, _ job: Job, _ attempt: Attempt) -> Bool {
        let wait = max(asked, self.settings.backoff.bound(afterFailures: attempt.number))
        return job.age(now: attempt.proven).waited + wait <= self.settings.limits.fresh
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

    /// The reason of a refusal that a fault of ours explains. Status 400 is about a field of the request; any
    /// other is about the path, the method, or the rights of the team.
    fileprivate static func misconfigured(_ status: Int) -> Reason {
        status == 400
            ? Reason("devicecheck.bad_request", "Apple refuses our request: a fault of this worker.")
            : Self.status(status)
    }

    /// The reason for a status. The code becomes a label of a metric, so only real status codes are named:
    /// Apple must not be able to invent labels.
    fileprivate static func status(_ status: Int) -> Reason {
        let code = (100...599).contains(status) ? "http.\(status)" : "http.other"
        return Reason(code, "Apple answered with HTTP status \(status).")
    }
}
