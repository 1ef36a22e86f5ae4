import UpstreamHTTP
import WireFormats
import WorkerKit

// What `AppStoreReply` has read, and what follows from it: the transaction itself first, then the state of its
// subscription and the history, as far as the app wants them.
extension ReceiptHandler {
    func serverAPI(_ response: HTTPResponse, to call: AppStoreCall, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        // A call that had to wait for its lane may have shown a token that was over by then.
        if response.status == 401, attempt.now - job.signedAt > self.tokenAgeLimit {
            return self.follow(job.renewed(), attempt)
        }
        // What has been found is in this environment and in no other.
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
            self.served.insert(Self.lane(job, .serverAPI))
            return self.take(reply.answer, answer, job, attempt)
        case .trySandbox, .tryProduction:
            return self.follow(job.elsewhere(isRefused: response.status == 401), attempt)
        case .retry:
            let (delay, isNamed) = (reply.delay, reply.namesTime)
            return .retry(self.retry(reply.reason, response, delay: delay, isNamed: isNamed, attempt))
        case .retryLimited where reply.isUnknownPurchase: return self.unknown(reply, answer, job, attempt)
        // An outage of Apple's must not end as many purchases of which nothing is known.
        case .retryLimited where response.status >= 500:
            return .retry(self.retry(reply.reason, response, attempt))
        case .retryLimited where reply.errorCode != nil:
            return self.fewTimes(reply.reason, orElse: answer, attempt)
        case .retryLimited: return self.fewTimes(reply.reason, attempt)
        case .reject: return self.rejected(reply, answer, job, attempt)
        case .configuration where response.status == 401:
            return self.unauthorized(reply, answer, job, attempt)
        case .configuration where reply.isBadRequest && self.served.contains(Self.lane(job, .serverAPI)):
            return self.fewTimes(reply.reason, orElse: answer, attempt)
        case .configuration: return .hold(reply.reason, scope: .lane)
        }
    }

    /// As long as a token is surely taken, in milliseconds: four fifths of its life.
    private var tokenAgeLimit: Int64 { self.settings.tokenLifetime.components.seconds * 800 }

    /// Of a refusal in both environments a token may be the reason that was made wrongly once. Where the other
    /// environment has taken one, the key is good, and this one does not sell the app.
    private func unauthorized(_ reply: AppStoreReply, _ answer: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if job.gathered == nil, job.visited.contains(job.host.other), !job.refusals.contains(job.host.other) {
            var job = job
            job.refusals.insert(job.host)
            return self.unknown(reply, answer, job, attempt)
        }
        return job.isRenewed ? .hold(reply.reason, scope: .lane) : self.follow(job.renewed(), attempt)
    }

    /// A no to a later question leaves what is known, and the sandbox's no is none while production says nothing.
    private func rejected(_ reply: AppStoreReply, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if var gathered = job.gathered {
            gathered.isIncomplete = true
            return self.concluded(gathered, draft, job, attempt)
        }
        guard draft.httpStatus == 404, job.refusals.contains(.production) else {
            return .refuse(reply.reason, draft)
        }
        return self.unanswered(draft)
    }

    private func unanswered(_ draft: Answer) -> Verdict<Job, Answer> {
        var answer = draft
        answer.verdict = .unavailable
        return .refuse(.productionIsSilent, answer)
    }

    /// A fresh purchase is not known for some minutes. It is never granted meanwhile.
    private func unknown(_ reply: AppStoreReply, _ answer: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if job.gathered != nil { return self.rejected(reply, answer, job, attempt) }
        let tries = attempt.failures + 1
        guard tries < self.settings.lagAttempts else {
            return job.refusals.contains(.production)
                ? self.unanswered(answer) : .refuse(reply.reason, answer)
        }
        let wait = self.settings.firstLag * (1 << min(tries - 1, 16))
        return .retry(Retry(reply.reason, blame: .record, after: wait))
    }

    private func take(_ found: AppStoreAnswer?, _ draft: Answer, _ job: Job, _ attempt: Attempt)
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
            // Apple's own answer, over a connection that is Apple's: the certificates here are not the right ones, or
            // something between is not what it seems.
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
            return self.concluded(gathered, draft, job, attempt)
        }
        job.gathered = gathered
        return self.follow(job.next(next), attempt)
    }

    /// The next question, if there is one: whether the claim belongs to the receipt; how a subscription stands; and the
    /// history, as far as the app wants it, or as far as it takes to say yes or no.
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

    /// Pages of the history that are read where nothing else decides: 200 purchases, the newest.
    private static let decidingPages = 10

    /// The end. A claim that the receipt does not hold is none of its sender's, whoever's it is.
    private func concluded(_ found: StorePurchases, _ draft: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        var found = found
        if case .next = job.history { found.isIncomplete = true }
        if !job.holdsClaim(found), let claimed = job.claim.transactionID { found.remove(claimed) }
        let verdict = self.settled(found, draft, job, attempt)
        // Apple was asked about the id alone.
        guard case .unverified = job.credibility, case .answer(var answer) = verdict, answer.verdict == .valid
        else { return verdict }
        answer.check = Reason.unverified.code
        return .answer(answer)
    }
}

extension ReceiptJob {
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

    /// The page to read next; nil if there is none, or if `limit` pages have been read.
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
    /// Takes up what is signed for the job's app and environment, or nothing of it.
    ///
    /// - Returns: the transactions that were in it.
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
            renewal.originalTransactionID.map { self.renewals[$0] = renewal }
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
