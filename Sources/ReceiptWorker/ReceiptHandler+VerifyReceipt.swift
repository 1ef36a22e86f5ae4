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
        case .tooLarge: self.fewTimes(error.reason, attempt)
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
        switch reply.decision {
        case .accept, .acceptExpired: return self.accepted(reply, answer, job, attempt)
        case .trySandbox, .tryProduction: return self.follow(job.elsewhere(), attempt)
        case .retry: return .retry(self.retry(reply.reason, response, attempt))
        case .retryLimited: return self.fewTimes(reply.reason, attempt)
        case .reject: return .refuse(reply.reason, answer)
        case .configuration:
            // It speaks of our secret only if the receipt is one of our app.
            guard reply.status == 21004 else { return .hold(reply.reason, scope: .lane) }
            guard job.isOurs else { return .refuse(reply.reason, answer) }
            return self.doubts.refused(job.digest, of: job.claim.bundleID)
                ? .hold(reply.reason, scope: .lane) : self.fewTimes(reply.reason, attempt)
        }
    }

    private func accepted(_ reply: VerifyReceiptReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        // Apple does not look at the secret where there is no subscription.
        if reply.purchases?.transactions.contains(where: { $0.expiresAt != nil }) ?? true {
            self.doubts.taken(of: job.claim.bundleID)
        }
        guard var purchases = reply.purchases else { return self.ended(reply, draft, job, attempt) }
        // What has ended may be told of without the receipt, whose app is known from here.
        if reply.decision == .acceptExpired, purchases.bundleID == nil {
            purchases.bundleID = job.local?.bundleID
        }
        purchases.learnProductTypes(from: job.local?.transactions ?? [])
        return self.settled(
            purchases,
            draft,
            job,
            saidToBeExpired: reply.decision == .acceptExpired,
            attempt
        )
    }

    /// Apple says that the subscription is over, and nothing of it: what the receipt says of itself, which Apple has
    /// found to be true, has to do.
    private func ended(_ reply: VerifyReceiptReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        var purchases = job.local ?? StorePurchases()
        purchases.environment = job.host.environment
        let verdict = self.settled(purchases, draft, job, saidToBeExpired: true, attempt)
        guard case .answer(var answer) = verdict, answer.verdict == .valid else { return verdict }
        (answer.verdict, answer.check) = (.expired, reply.reason.code)
        return .answer(answer)
    }

    func settled(
        _ purchases: StorePurchases,
        _ draft: Answer,
        _ job: Job,
        saidToBeExpired: Bool = false,
        _ attempt: Attempt
    ) -> Verdict<Job, Answer> {
        if let flaw = purchases.flaw { return self.fewTimes(flaw.reason(in: "transaction"), attempt) }
        var purchases = purchases
        purchases.expiresAt = purchases.expiresAt ?? job.local?.expiresAt
        let judged = self.judged(purchases, job, saidToBeExpired: saidToBeExpired, attempt)
        var answer = judged.answer
        answer.source = draft.source
        answer.httpStatus = draft.httpStatus
        answer.appleStatus = draft.appleStatus
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
        guard attempt.failures + 1 >= self.settings.limitedAttempts else {
            return .retry(Retry(reason, blame: .record))
        }
        return .reject(
            Rejection(reason, kind: .exhausted, replayable: .yes, suggestsConfigurationFault: true)
        )
    }
}
