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
        if response.status == 401, attempt.now - job.signedAt > Self.tokenAgeLimit {
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
        case .accept, .acceptExpired: return self.take(reply.answer, answer, job, attempt)
        case .trySandbox, .tryProduction: return self.follow(job.elsewhere(), attempt)
        case .retry:
            return .retry(self.retry(reply.reason, response, job, delay: reply.delay, attempt))
        case .retryLimited where reply.isUnknownPurchase: return self.unknown(reply, answer, job, attempt)
        case .retryLimited: return self.fewTimes(reply.reason, job, attempt)
        case .reject:
            guard var gathered = job.gathered else { return .refuse(reply.reason, answer) }
            gathered.isIncomplete = true
            return self.settled(gathered, answer, job, attempt)
        case .configuration: return .hold(reply.reason, scope: .lane)
        }
    }

    /// Milliseconds; somewhat less than a token is good for.
    private static let tokenAgeLimit: Int64 = 240_000

    /// A fresh purchase is not known for some minutes. It is never granted meanwhile.
    private func unknown(_ reply: AppStoreReply, _ answer: Answer, _ job: Job, _ attempt: Attempt)
        -> Verdict<Job, Answer>
    {
        if var gathered = job.gathered {
            gathered.isIncomplete = true
            return self.settled(gathered, answer, job, attempt)
        }
        let tries = job.tries(attempt.number)
        guard tries < self.settings.lagAttempts else { return .refuse(reply.reason, answer) }
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
            try gathered.add(found, of: job, verifier, now: attempt.now)
        } catch {
            // Apple's own answer, over a connection that is Apple's: the certificates here are not the right ones, or
            // something between is not what it seems.
            guard error.status != .invalidAppIdentifier else {
                var answer = draft
                answer.verdict = .notOurs
                return .refuse(error.reason, answer)
            }
            return self.fewTimes(error.reason, job, attempt)
        }
        if case .history = found { job.pages += 1 }
        if let next = self.next(after: found, gathered, job) {
            job.gathered = gathered
            return self.follow(job.next(next), attempt)
        }
        if case .history(let page) = found, page.nextRevision != nil { gathered.isIncomplete = true }
        return self.settled(gathered, draft, job, attempt)
    }

    /// The next question, if there is one.
    private func next(after found: AppStoreAnswer, _ gathered: StorePurchases, _ job: Job) -> AppStoreCall? {
        guard case .serverAPI(let call) = job.step, let app = self.app(of: job) else { return nil }
        let id = call.id
        let history = app.historyPages > 0 ? AppStoreCall.history(id, revision: nil) : nil
        switch found {
        case .transaction:
            let isSubscription = gathered.transactions.contains {
                $0.productType == .autoRenewableSubscription
            }
            return app.asksForSubscriptions && isSubscription ? .subscriptions(id) : history
        case .subscriptions: return history
        case .history(let page):
            guard job.pages < app.historyPages else { return nil }
            return page.nextRevision.map { .history(id, revision: $0) }
        }
    }
}

extension StorePurchases {
    /// Takes up what is signed for the job's app and environment, or nothing of it.
    fileprivate mutating func add(
        _ answer: AppStoreAnswer,
        of job: ReceiptJob,
        _ verifier: SignedDataVerifier,
        now: Int64
    ) throws(SignedDataFault) {
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
        self.add(transactions)
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
    fileprivate static let noAnchorForAnswers = Reason(
        "configuration.no_anchor",
        "No certificate of Apple's is configured that its signed answers lead to."
    )
}
