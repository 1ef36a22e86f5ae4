import UpstreamHTTP
import WireFormats
import WorkerKit

// This file turns answers of the App Store Server API, as `AppStoreReply` has read them, into verdicts. The
// transaction itself is asked for first, then the state of its subscription and the history, as far as the
// app's settings want them.
extension ReceiptHandler {
    func serverAPI(
        _ response: HTTPResponse,
        to call: AppStoreCall,
        for job: Job,
        at attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Verdict<Job, Answer> {
        // The token may have expired while the call waited for its lane.
        if response.status == 401, attempt.now - job.signedAt > self.tokenAgeLimit {
            return self.follow(job.renewed(), attempt)
        }
        // The other host must not be asked any more once a purchase was found, because it exists in one
        // environment only.
        let visited = job.gathered == nil ? job.visited : Set(StoreHost.allCases)
        let reply = AppStoreReply(
            to: call,
            status: response.status,
            contentType: response.header("content-type"),
            retryAfter: response.header("retry-after"),
            body: response.body,
            from: job.host,
            visited: visited,
            now: attempt.now
        )
        var answer = self.answer(.invalid, to: job)
        answer.source = .serverAPI
        answer.httpStatus = response.status
        answer.appleStatus = reply.errorCode
        switch reply.decision {
        case .accept, .acceptExpired:
            memory.servedLanes.insert(Self.lane(job, .serverAPI))
            return self.take(reply.answer, answer, of: job, in: attempt)
        case .trySandbox, .tryProduction:
            return self.follow(job.elsewhere(isRefused: response.status == 401), attempt)
        case .retry:
            let (delay, isNamed) = (reply.delay, reply.namesTime)
            return .retry(self.retry(reply.reason, response, delay: delay, isNamed: isNamed, at: attempt))
        case .retryLimited where reply.isUnknownPurchase:
            return self.unknown(reply, answer, of: job, in: attempt)
        // An outage of Apple must not end the records of purchases of which nothing is known yet.
        case .retryLimited where response.status >= 500:
            return .retry(self.retry(reply.reason, response, at: attempt))
        case .retryLimited where reply.errorCode != nil:
            return self.fewTimes(reply.reason, orElse: answer, attempt)
        case .retryLimited: return self.fewTimes(reply.reason, attempt)
        case .reject: return self.rejected(reply, answer, of: job, in: attempt)
        case .configuration where response.status == 401:
            return self.unauthorized(reply, answer, of: job, in: attempt)
        case .configuration
        where reply.isBadRequest && memory.servedLanes.contains(Self.lane(job, .serverAPI)):
            return self.fewTimes(reply.reason, orElse: answer, attempt)
        case .configuration: return .hold(reply.reason, scope: .lane)
        }
    }

    /// The age up to which a token is certainly accepted, in milliseconds: four fifths of its lifetime.
    private var tokenAgeLimit: Int64 { self.settings.tokenLifetime.components.seconds * 800 }

    /// Decides about a token that Apple has refused.
    ///
    /// If the other environment has accepted a token before, the key is good, and the app is not sold in this
    /// environment. If both environments have refused the token, it may have been made wrongly once: the call
    /// is repeated with a new token, and the lane is held if Apple refuses that, too.
    private func unauthorized(_ reply: AppStoreReply, _ answer: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if job.gathered == nil, job.visited.contains(job.host.other), !job.refusals.contains(job.host.other) {
            var job = job
            job.refusals.insert(job.host)
            return self.unknown(reply, answer, of: job, in: attempt)
        }
        return job.isRenewed ? .hold(reply.reason, scope: .lane) : self.follow(job.renewed(), attempt)
    }

    /// Decides about a rejection by Apple.
    ///
    /// If Apple rejects a follow-up request, the purchases found so far stay valid. A rejection by the
    /// sandbox with the status 404 counts only if production has accepted our token: otherwise production has
    /// said nothing about the purchase.
    private func rejected(_ reply: AppStoreReply, _ draft: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if var gathered = job.gathered {
            gathered.isIncomplete = true
            return self.concluded(gathered, draft, of: job, in: attempt)
        }
        guard draft.httpStatus == 404, job.refusals.contains(.production) else {
            return .refuse(reply.reason, draft)
        }
        return self.unanswered(draft)
    }

    /// Refuses the record as unavailable, because production has not answered for the app.
    private func unanswered(_ draft: Answer) -> Verdict<Job, Answer> {
        var answer = draft
        answer.verdict = .unavailable
        return .refuse(.productionIsSilent, answer)
    }

    /// Retries a purchase that Apple does not know yet, because a new purchase becomes known only after some
    /// minutes. The waits double from `firstLag` on. After `lagAttempts` tries the record is refused; an
    /// unknown purchase is never granted.
    private func unknown(_ reply: AppStoreReply, _ answer: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if job.gathered != nil { return self.rejected(reply, answer, of: job, in: attempt) }
        let tries = attempt.failures + 1
        guard tries < self.settings.lagAttempts else {
            return job.refusals.contains(.production)
                ? self.unanswered(answer) : .refuse(reply.reason, answer)
        }
        let wait = self.settings.firstLag * (1 << min(tries - 1, 16))
        return .retry(Retry(reply.reason, blame: .record, after: wait))
    }

    /// Verifies a good answer, adds it to the purchases found so far, and asks the next question if there is
    /// one.
    private func take(_ found: AppStoreAnswer?, _ draft: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        guard let verifier = self.local.ofAnswers, let found else {
            return .hold(.noAnchorForAnswers, scope: .lane)
        }
        var job = job
        var gathered = job.gathered ?? StorePurchases()
        do throws(SignedDataFault) {
            job.note(found, with: try gathered.add(found, of: job, verifier, now: attempt.now))
        } catch {
            // The answer came over a connection that was verified as Apple's. So the configured certificates
            // are wrong, or a proxy has replaced the answer.
            guard error.status != .invalidAppIdentifier else {
                var answer = draft
                answer.verdict = .notOurs
                return .refuse(error.reason, answer)
            }
            return self.fewTimes(error.reason, attempt)
        }
        if let flaw = gathered.flaw {
            return self.fewTimes(flaw.reason(in: "transaction"), orElse: draft, attempt)
        }
        guard let next = self.next(after: gathered, job, attempt) else {
            return self.concluded(gathered, draft, of: job, in: attempt)
        }
        job.gathered = gathered
        return self.follow(job.next(next), attempt)
    }

    /// Returns the next question; nil if there is none. The questions are, in this order: whether the claim
    /// belongs to the receipt, the state of the subscription, and the history, as far as the app's settings
    /// want it or as far as the verdict depends on it.
    private func next(after gathered: StorePurchases, _ job: Job, _ attempt: Attempt) -> AppStoreCall? {
        guard let asked = job.asked, let app = self.app(of: job) else { return nil }
        guard job.holdsClaim(gathered) else { return job.nextPage(limit: Self.decidingPages) }
        let isSubscription = gathered.transactions.contains { $0.productType == .autoRenewableSubscription }
        if app.asksForSubscriptions, isSubscription, !job.hasAskedForSubscriptions {
            return .subscriptions(asked)
        }
        let isOpen = self.judgement(of: gathered, job, attempt).isOpen
        return job.nextPage(limit: isOpen ? max(app.historyPages, Self.decidingPages) : app.historyPages)
    }

    /// The greatest number of pages of the history that are read if the verdict depends on them: the 200
    /// newest purchases.
    private static let decidingPages = 10

    /// Returns the final verdict. A claimed transaction that does not belong to the receipt is removed first:
    /// the sender has not proven that it is theirs.
    private func concluded(_ found: StorePurchases, _ draft: Answer, of job: Job, in attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        var found = found
        if case .next = job.history { found.isIncomplete = true }
        if !job.holdsClaim(found), let claimed = job.claim.transactionID { found.remove(claimed) }
        let verdict = self.settled(found, draft, of: job, in: attempt)
        // Apple was asked about the id alone, so it has not confirmed the receipt that came with it.
        guard case .unverified = job.credibility, case .answer(var answer) = verdict, answer.verdict == .valid
        else { return verdict }
        answer.check = Reason.unverified.code
        return .answer(answer)
    }
}

extension ReceiptJob {
    /// Records which question was answered, and how far the history has been read.
    fileprivate mutating func note(_ answer: AppStoreAnswer, with transactions: [StoreTransaction]) {
        switch answer {
        case .transaction: break
        case .subscriptions: self.hasAskedForSubscriptions = true
        case .history(let page):
            self.pages += 1
            self.history = page.nextRevision.map { .next(revision: $0) } ?? .whole
            guard let claimed = self.claim.transactionID, self.historyID?.text != claimed else { return }
            self.isInHistory = self.isInHistory || transactions.contains { $0.transactionID == claimed }
        }
    }

    /// Returns the question for the next page of the history; nil if there is no further page, or if `limit`
    /// pages have been read.
    fileprivate func nextPage(limit: Int) -> AppStoreCall? {
        guard let id = self.historyID, self.pages < limit else { return nil }
        return switch self.history {
        case .unread: .history(id, revision: nil)
        case .next(let revision): .history(id, revision: revision)
        case .whole: nil
        }
    }
}

extension StorePurchases {
    /// Verifies an answer and adds its transactions and renewals. If one signature is bad or names another
    /// app or environment, no transaction is added.
    ///
    /// - Returns: the transactions of the answer.
    /// - Throws: the fault of the first signature that cannot be accepted.
    fileprivate mutating func add(
        _ answer: AppStoreAnswer,
        of job: ReceiptJob,
        _ verifier: SignedDataVerifier,
        now: Int64
    ) throws(SignedDataFault) -> [StoreTransaction] {
        let (bundleID, environment) = (job.claim.bundleID, job.host.environment)
        var transactions: [StoreTransaction] = []
        for text in answer.signedTransactions {
            transactions.append(
                try verifier.transaction(text, bundleID: bundleID, environment: environment, now: now)
            )
        }
        for text in answer.signedRenewals {
            let renewal = try verifier.renewal(text, environment: environment, now: now)
            if let id = renewal.originalTransactionID { self.renewals[id] = renewal }
        }
        self.bundleID = bundleID
        self.environment = environment
        if case .subscriptions(let subscriptions) = answer {
            for (transaction, subscription) in zip(transactions, subscriptions) {
                self.add(transaction, saidToBe: subscription.status)
            }
        } else {
            self.add(transactions)
        }
        return transactions
    }
}

extension AppStoreAnswer {
    fileprivate var signedTransactions: [[UInt8]] {
        switch self {
        case .transaction(let signed): [signed]
        case .history(let page): page.signed
        case .subscriptions(let subscriptions): subscriptions.map(\.signedTransaction)
        }
    }

    fileprivate var signedRenewals: [[UInt8]] {
        guard case .subscriptions(let subscriptions) = self else { return [] }
        return subscriptions.compactMap(\.signedRenewal)
    }
}

extension Reason {
    fileprivate static let unverified = Reason(
        "receipt.unverified",
        "The purchase stands. No certificate here shows that the receipt is Apple's, and so whose purchase it is."
    )
    fileprivate static let productionIsSilent = Reason(
        "appstore.not_said_by_production",
        "The sandbox does not know the transaction, and production takes no token for the app: it may not be sold yet."
    )
    fileprivate static let noAnchorForAnswers = Reason(
        "configuration.no_anchor",
        "No certificate of Apple's is configured that its signed answers lead to."
    )
}
