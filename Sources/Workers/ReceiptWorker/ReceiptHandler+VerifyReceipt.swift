import UpstreamHTTP
import WireFormats
package import WorkerKit

// This file turns answers of verifyReceipt, as `VerifyReceiptReply` has read them, into verdicts.
extension ReceiptHandler {
    /// Decides what the result of a call means for its record: an answer, a further call, a retry, a refusal,
    /// a dead letter or a hold.
    package func interpret(
        _ exchange: Exchange,
        of job: Job,
        _ attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Verdict<Job, Answer> {
        switch exchange {
        // Our requests change nothing at Apple, so a call can be repeated even if Apple may already have
        // answered it.
        case .failure(let error), .ambiguous(let error):
            return self.verdict(on: error, job, attempt)
        case .response(let response):
            return switch job.step {
            case .verifyReceipt: self.verifyReceipt(response, job, at: attempt, with: &memory)
            case .serverAPI(let call):
                self.serverAPI(response, to: call, for: job, at: attempt, with: &memory)
            }
        }
    }

    /// Decides about a call that got no response.
    private func verdict(on error: TransferError, _ job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        switch error.kind {
        // A proxy that is not trusted, or missing root certificates. Apple is never asked without verified
        // TLS.
        case .tls: .hold(error.reason, scope: .lane)
        // The length of the answer depends on purchases that a client names, so the record may be the cause.
        case .tooLarge: self.fewTimes(error.reason, orElse: self.answer(.unavailable, to: job), attempt)
        default: .retry(Retry(error.reason, blame: .upstream))
        }
    }

    private func verifyReceipt(
        _ response: HTTPResponse,
        _ job: Job,
        at attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Verdict<Job, Answer> {
        let reply = VerifyReceiptReply(
            status: response.status,
            body: response.body,
            from: job.host,
            visited: job.visited
        )
        var answer = self.answer(.invalid, to: job)
        answer.source = .verifyReceipt
        answer.httpStatus = response.status
        answer.appleStatus = reply.status
        let lane = Self.lane(job, .verifyReceipt)
        if reply.status != nil, !reply.isBadRequest { memory.servedLanes.insert(lane) }
        switch reply.decision {
        case .accept, .acceptExpired: return self.accepted(reply, answer, of: job, in: attempt, with: &memory)
        case .trySandbox, .tryProduction: return self.follow(job.elsewhere(), attempt)
        case .retry: return .retry(self.retry(reply.reason, response, at: attempt))
        // The sandbox cannot decide for production. Production is asked first, unless a record hints at the
        // sandbox.
        case .reject where !job.mayBeRejected: return self.follow(job.elsewhere(), attempt)
        case .reject: return .refuse(reply.reason, answer)
        case .retryLimited where reply.isAboutReceipt:
            return self.doubted(reply, answer, of: job, in: attempt, with: &memory)
        case .retryLimited: return self.fewTimes(reply.reason, attempt)
        case .configuration where reply.status == SecretDoubts.secretStatus:
            return self.secretRefused(reply, answer, of: job, in: attempt, with: &memory)
        case .configuration where memory.servedLanes.contains(lane):
            return self.fewTimes(reply.reason, orElse: answer, attempt)
        case .configuration: return .hold(reply.reason, scope: .lane)
        }
    }

    /// Decides about an answer that a client may have caused by its receipt. It counts as a fault of Apple or
    /// of our configuration only if several different receipts with a verified signature got it and no
    /// receipt has got a good answer in between.
    private func doubted(
        _ reply: VerifyReceiptReply,
        _ draft: Answer,
        of job: Job,
        in attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Verdict<Job, Answer> {
        guard let status = reply.status, reply.decision == .retryLimited, !reply.isApproval else {
            return self.fewTimes(reply.reason, orElse: draft, attempt)
        }
        guard job.mayBeRejected else { return self.follow(job.elsewhere(), attempt) }
        if self.isLastTry(attempt), job.credibility == .verified, job.isOurs,
            self.isBelieved(status, about: job, attempt, with: &memory)
        {
            return .hold(reply.reason, scope: .lane)
        }
        return self.fewTimes(reply.reason, orElse: draft, attempt)
    }

    /// Decides about an answer that calls the shared secret wrong. It says something about our secret only if
    /// the receipt is one of our app.
    private func secretRefused(
        _ reply: VerifyReceiptReply,
        _ draft: Answer,
        of job: Job,
        in attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Verdict<Job, Answer> {
        guard job.isOurs else { return .refuse(reply.reason, draft) }
        // The secret was replaced after the call was made.
        guard job.secretSerial == self.keys.sharedSecret(of: job.claim.bundleID).serial else {
            return self.follow(job, attempt)
        }
        guard !self.isForgeable(job),
            self.isBelieved(SecretDoubts.secretStatus, about: job, attempt, with: &memory)
        else { return self.fewTimes(reply.reason, orElse: draft, attempt) }
        return .hold(reply.reason, scope: .lane)
    }

    /// Adds a receipt to the doubts, and returns whether a status is believed to be about more than this
    /// receipt. No other receipt can confirm a case that is tried by hand, so its status is believed at once.
    private func isBelieved(
        _ status: Int64,
        about job: Job,
        _ attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Bool {
        guard !attempt.isTrial else { return true }
        let app = job.claim.bundleID
        let serial = self.keys.sharedSecret(of: app).serial
        return memory.doubts.refused(job.digest, of: app, by: status, secretSerial: serial)
    }

    /// Returns whether anybody could have written the receipt, although roots of certificates are configured.
    private func isForgeable(_ job: Job) -> Bool {
        guard case .unverified = job.credibility, let form = job.form else { return false }
        return self.local.demandsProof(of: form)
    }

    /// Turns an approval by Apple into a verdict.
    private func accepted(
        _ reply: VerifyReceiptReply,
        _ draft: Answer,
        of job: Job,
        in attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Verdict<Job, Answer> {
        // Apple checks the shared secret only if the receipt has a subscription.
        let hasSubscription = reply.purchases?.transactions.contains { $0.expiresAt != nil } ?? true
        memory.doubts.approved(of: job.claim.bundleID, hasTakenSecret: hasSubscription)
        guard var purchases = reply.purchases else { return self.ended(reply, draft, of: job, in: attempt) }
        // Apple has approved this very receipt, so its own fields may fill the gaps of the answer.
        if purchases.bundleID == nil { purchases.bundleID = job.local?.bundleID }
        purchases.learn(from: job.local?.transactions ?? [])
        return self.settled(purchases, draft, of: job, in: attempt)
    }

    /// Decides about a subscription that Apple calls expired without sending its purchases. The purchases of
    /// the receipt itself are used, because Apple has confirmed the receipt.
    private func ended(_ reply: VerifyReceiptReply, _ draft: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        var purchases = job.local ?? StorePurchases()
        purchases.environment = job.host.environment
        let verdict = self.settled(purchases, draft, of: job, in: attempt)
        guard case .answer(let own) = verdict, own.verdict == .valid else { return verdict }
        // By the receipt's own dates the subscription goes on. Apple's statement counts, so all its periods
        // are marked as ended.
        purchases.callOver()
        guard case .answer(var answer) = self.settled(purchases, draft, of: job, in: attempt) else {
            return verdict
        }
        (answer.verdict, answer.check) = (.expired, reply.reason.code)
        return .answer(answer)
    }

    /// Returns the verdict on purchases that Apple has confirmed. If they lack a field that decides, Apple is
    /// asked a few times more.
    func settled(_ purchases: StorePurchases, _ draft: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if let flaw = purchases.flaw {
            return self.fewTimes(flaw.reason(in: "transaction"), orElse: draft, attempt)
        }
        var purchases = purchases
        purchases.expiresAt = purchases.expiresAt ?? job.local?.expiresAt
        let judged = self.judged(purchases, job, at: attempt)
        var answer = judged.answer
        answer.source = draft.source
        answer.httpStatus = draft.httpStatus
        answer.appleStatus = draft.appleStatus
        if judged.isLacking, let reason = judged.refusal {
            return self.fewTimes(reason, orElse: answer, attempt)
        }
        return judged.refusal.map { .refuse($0, answer) } ?? .answer(answer)
    }

    /// Returns the next call of a job, or a refusal if no token can be signed for it.
    func follow(_ job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        guard let call = self.call(job, now: attempt.now) else {
            return .refuse(.cannotSign, self.answer(.unavailable, to: job))
        }
        return .call(call)
    }

    /// Returns a retry. If Apple has sent `Retry-After` with 429 or 503, all calls to the same endpoint wait.
    ///
    /// - Parameters:
    ///   - reason: the reason that logs and dead letters show.
    ///   - response: the response of Apple.
    ///   - delay: the wait, if the caller knows it; otherwise it is taken from `Retry-After`.
    ///   - isNamed: whether Apple itself has named the time until which to wait. Such a wait is kept in full.
    ///     Any other wait of an endpoint may come from a proxy; it is limited to `longestUnnamedGate`, so
    ///     that the worker soon checks whether it still holds.
    ///   - attempt: the present attempt.
    func retry(
        _ reason: Reason,
        _ response: HTTPResponse,
        delay: Duration? = nil,
        isNamed: Bool = false,
        at attempt: Attempt
    ) -> Retry {
        let header = response.header("retry-after")
        let delay = delay ?? header.flatMap { RetryAfter.delay($0, now: attempt.now) }
        let isForEverybody = header != nil && delay != nil && [429, 503].contains(response.status)
        let isCut = isForEverybody && !isNamed
        return Retry(
            reason,
            blame: .upstream,
            after: delay.map { isCut ? min($0, Self.longestUnnamedGate) : $0 },
            gatesUpstream: isForEverybody
        )
    }

    /// The longest wait of an endpoint that was not named by Apple itself.
    private static var longestUnnamedGate: Duration { .seconds(300) }

    /// Retries a few times, and then makes the record a dead letter for a person to look at. If a run of
    /// records on one lane ends like this, the engine holds the lane.
    func fewTimes(_ reason: Reason, _ attempt: Attempt) -> Verdict<Job, Answer> {
        guard self.isLastTry(attempt) else { return .retry(Retry(reason, blame: .record)) }
        return .reject(
            Rejection(reason, kind: .exhausted, replayable: .yes, suggestsConfigurationFault: true)
        )
    }

    /// Retries a few times about a receipt or an id that a client has chosen, and then refuses the record as
    /// unavailable. The record becomes no dead letter, and the lane is not held for it.
    func fewTimes(_ reason: Reason, orElse draft: Answer, _ attempt: Attempt) -> Verdict<Job, Answer> {
        guard self.isLastTry(attempt) else { return .retry(Retry(reason, blame: .record)) }
        var answer = draft
        answer.verdict = .unavailable
        return .refuse(reason, answer)
    }

    /// Returns whether the limit of tries without a known reason is reached.
    private func isLastTry(_ attempt: Attempt) -> Bool {
        attempt.failures + 1 >= self.settings.limitedAttempts
    }
}
