import UpstreamHTTP
import WireFormats
package import WorkerKit

// What `VerifyReceiptReply` has read, and what follows from it.
extension ReceiptHandler {
    package func interpret(_ exchange: Exchange, of job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        switch exchange {
        // Nothing is changed by asking, so whether Apple has answered already does not matter.
        case .failure(let error), .ambiguous(let error):
            return self.verdict(on: error, job, attempt)
        case .response(let response):
            return switch job.step {
            case .verifyReceipt: self.verifyReceipt(response, job, attempt)
            case .serverAPI(let call): self.serverAPI(response, to: call, job, attempt)
            }
        }
    }

    private func verdict(on error: TransferError, _ job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        switch error.kind {
        // A proxy that cannot be trusted, or certificates that are missing here. Never asked without them.
        case .tls: .hold(error.reason, scope: .lane)
        // How much there is to tell is up to the purchases that a client names.
        case .tooLarge: self.fewTimes(error.reason, orElse: self.answer(.unavailable, to: job), attempt)
        default: .retry(Retry(error.reason, blame: .upstream))
        }
    }

    private func verifyReceipt(_ response: HTTPResponse, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
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
        if reply.status != nil, !reply.isBadRequest { self.served.insert(lane) }
        switch reply.decision {
        case .accept, .acceptExpired: return self.accepted(reply, answer, job, attempt)
        case .trySandbox, .tryProduction: return self.follow(job.elsewhere(), attempt)
        case .retry: return .retry(self.retry(reply.reason, response, attempt))
        // The sandbox cannot speak for production, which is asked first unless a record hints at the sandbox.
        case .reject where !job.mayBeRejected: return self.follow(job.elsewhere(), attempt)
        case .reject: return .refuse(reply.reason, answer)
        case .retryLimited where reply.isAboutReceipt: return self.doubted(reply, answer, job, attempt)
        case .retryLimited: return self.fewTimes(reply.reason, attempt)
        case .configuration where reply.status == SecretDoubts.secretStatus:
            return self.secretRefused(reply, answer, job, attempt)
        case .configuration where self.served.contains(lane):
            return self.fewTimes(reply.reason, orElse: answer, attempt)
        case .configuration: return .hold(reply.reason, scope: .lane)
        }
    }

    /// Any client can make Apple say this. It is taken for trouble of Apple's or of ours where several receipts got it
    /// that Apple has signed, and none a good answer.
    private func doubted(_ reply: VerifyReceiptReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        guard let status = reply.status, reply.decision == .retryLimited, !reply.isApproval else {
            return self.fewTimes(reply.reason, orElse: draft, attempt)
        }
        guard job.mayBeRejected else { return self.follow(job.elsewhere(), attempt) }
        if self.isLastTry(attempt), job.credibility == .verified, job.isOurs,
            self.doubts.refused(job.digest, of: job.claim.bundleID, by: status)
        {
            return .hold(reply.reason, scope: .lane)
        }
        return self.fewTimes(reply.reason, orElse: draft, attempt)
    }

    /// It speaks of our secret only if the receipt is one of our app.
    private func secretRefused(_ reply: VerifyReceiptReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        let app = job.claim.bundleID
        guard job.isOurs else { return .refuse(reply.reason, draft) }
        // The secret has been corrected since.
        guard job.secretSerial == self.keys.sharedSecret(of: app).serial else {
            return self.follow(job, attempt)
        }
        guard !self.isForgeable(job), self.doubts.refused(job.digest, of: app, by: SecretDoubts.secretStatus)
        else { return self.fewTimes(reply.reason, orElse: draft, attempt) }
        return .hold(reply.reason, scope: .lane)
    }

    /// Whether anybody can have written the receipt, although roots are configured.
    private func isForgeable(_ job: Job) -> Bool {
        guard case .unverified = job.credibility, let form = job.form else { return false }
        return self.local.demandsProof(of: form)
    }

    private func accepted(_ reply: VerifyReceiptReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        // Apple does not look at the secret where there is no subscription.
        let hasSubscription = reply.purchases?.transactions.contains { $0.expiresAt != nil } ?? true
        self.doubts.approved(of: job.claim.bundleID, hasTakenSecret: hasSubscription)
        guard var purchases = reply.purchases else { return self.ended(reply, draft, job, attempt) }
        // Apple has approved of this very receipt, so what it says itself fills the gaps.
        if purchases.bundleID == nil { purchases.bundleID = job.local?.bundleID }
        purchases.learn(from: job.local?.transactions ?? [])
        return self.settled(purchases, draft, job, attempt)
    }

    /// Apple says that the subscription is over, and nothing of it: what the receipt says of itself, which Apple has
    /// found to be true, has to do.
    private func ended(_ reply: VerifyReceiptReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        var purchases = job.local ?? StorePurchases()
        purchases.environment = job.host.environment
        let verdict = self.settled(purchases, draft, job, attempt)
        guard case .answer(let own) = verdict, own.verdict == .valid else { return verdict }
        // By its own word it goes on; Apple's counts, and is what is shown.
        purchases.callOver()
        guard case .answer(var answer) = self.settled(purchases, draft, job, attempt) else { return verdict }
        (answer.verdict, answer.check) = (.expired, reply.reason.code)
        return .answer(answer)
    }

    func settled(_ purchases: StorePurchases, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if let flaw = purchases.flaw {
            return self.fewTimes(flaw.reason(in: "transaction"), orElse: draft, attempt)
        }
        var purchases = purchases
        purchases.expiresAt = purchases.expiresAt ?? job.local?.expiresAt
        let judged = self.judged(purchases, job, attempt)
        var answer = judged.answer
        answer.source = draft.source
        answer.httpStatus = draft.httpStatus
        answer.appleStatus = draft.appleStatus
        if judged.isLacking, let reason = judged.refusal {
            return self.fewTimes(reason, orElse: answer, attempt)
        }
        return judged.refusal.map { .refuse($0, answer) } ?? .answer(answer)
    }

    func follow(_ job: Job, _ attempt: Attempt) -> Verdict<Job, Answer> {
        guard let call = self.call(job, now: attempt.now) else {
            return .refuse(.cannotSign, self.answer(.unavailable, to: job))
        }
        return .call(call)
    }

    /// Everybody who asks the same endpoint is made to wait.
    ///
    /// - Parameter isNamed: whether Apple named the time to wait for, which is then kept whatever it is. Other waits
    ///   may be anybody's on the way, and are cut short for a look whether they still hold.
    func retry(
        _ reason: Reason,
        _ response: HTTPResponse,
        delay: Duration? = nil,
        isNamed: Bool = false,
        _ attempt: Attempt
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

    private static var longestUnnamedGate: Duration { .seconds(300) }

    /// Asks a few times, and then a person has to look at it. If it goes on for all, the lane is held.
    func fewTimes(_ reason: Reason, _ attempt: Attempt) -> Verdict<Job, Answer> {
        guard self.isLastTry(attempt) else { return .retry(Retry(reason, blame: .record)) }
        return .reject(
            Rejection(reason, kind: .exhausted, replayable: .yes, suggestsConfigurationFault: true)
        )
    }

    /// Asks a few times about what a client has chosen, be it a receipt or an id, and then says that nothing is known:
    /// it is no dead letter, and says nothing against the lane.
    func fewTimes(_ reason: Reason, orElse draft: Answer, _ attempt: Attempt) -> Verdict<Job, Answer> {
        guard self.isLastTry(attempt) else { return .retry(Retry(reason, blame: .record)) }
        var answer = draft
        answer.verdict = .unavailable
        return .refuse(reason, answer)
    }

    private func isLastTry(_ attempt: Attempt) -> Bool {
        attempt.failures + 1 >= self.settings.limitedAttempts
    }
}
