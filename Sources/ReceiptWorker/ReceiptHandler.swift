import Cryptography
import Operations
package import Records
package import ServiceLifecycle
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// Finds out whether a purchase in Apple's store holds: by its signature, by verifyReceipt, or by the App Store Server
/// API, as each app is configured. All three give the same result.
///
/// Every question is one that may be asked again: none of them changes anything at Apple. Each environment of each
/// app and interface is a lane of its own, so that what stops the sandbox leaves production alone.
package struct ReceiptHandler: Handler {
    package typealias Job = ReceiptJob
    package typealias Answer = ReceiptAnswer

    let settings: ReceiptSettings
    let local: LocalVerifier
    let keys: AppKeys
    let doubts: SecretDoubts
    private let parts: StoreEndpoints
    private let apps: [String: ReceiptSettings.App]

    package init(_ settings: ReceiptSettings) {
        self.settings = settings
        self.local = LocalVerifier(settings.anchors)
        self.keys = AppKeys(settings.apps)
        self.doubts = SecretDoubts(limit: settings.secretDoubts)
        self.parts = StoreEndpoints(settings.apps)
        self.apps = Dictionary(settings.apps.map { ($0.bundleID, $0) }) { first, _ in first }
    }

    package var endpoints: [UpstreamEndpoint] { self.parts.list }

    package func companions(_ surroundings: Surroundings) -> [any Service] {
        self.doubts.goLive()
        let files = self.watchedFiles
        return files.isEmpty ? [] : [SecretFileWatch(files, surroundings.logger)]
    }

    var watchedFiles: [SecretFileWatch.File] {
        self.settings.apps.flatMap { app in
            app.files.map { file in
                SecretFileWatch.File(path: file.path, owner: ["app": app.bundleID], known: file.text) {
                    [keys = self.keys] secret in
                    try keys.replace(file.content, of: app.bundleID, by: secret)
                }
            }
        }
    }

    package func plan(_ record: InboundRecord, _ attempt: Attempt) -> Plan<Job, Answer> {
        var receipt: Receipt
        do throws(Receipt.Fault) {
            receipt = try Receipt(decoding: record)
        } catch {
            switch error {
            case .record(let fault):
                return .reject(Rejection(fault.reason, kind: fault.kind, replayable: .no))
            case .refused(let reason, let answer): return .refuse(reason, answer)
            }
        }
        guard let app = self.app(of: receipt) else {
            return .reject(Rejection(.unknownApp, kind: .invalid, replayable: .afterFix))
        }
        receipt.header.bundleID = app.bundleID
        guard !receipt.text.isEmpty else { return self.planWithoutReceipt(receipt, app, attempt) }
        do throws(AppReceiptFault) {
            return self.plan(receipt, try ReceiptInput(receipt.text), app, attempt)
        } catch {
            return .refuse(error.reason, Answer(.invalid, receipt.header))
        }
    }

    /// Where a record names no app, there can be only one.
    private func app(of receipt: Receipt) -> ReceiptSettings.App? {
        guard receipt.header.bundleID.isEmpty else { return self.apps[receipt.header.bundleID] }
        return self.settings.apps.count == 1 ? self.settings.apps.first : nil
    }

    func app(of job: Job) -> ReceiptSettings.App? { self.apps[job.claim.bundleID] }

    private func planWithoutReceipt(_ receipt: Receipt, _ app: ReceiptSettings.App, _ attempt: Attempt)
        -> Plan<Job, Answer>
    {
        guard app.route == .serverAPI, let id = receipt.transactionID else {
            return .reject(Rejection(.noReceipt, kind: .invalid, replayable: .afterFix))
        }
        return self.planned(Self.job(receipt, asking: id), attempt)
    }

    private func plan(
        _ receipt: Receipt,
        _ input: ReceiptInput,
        _ app: ReceiptSettings.App,
        _ attempt: Attempt
    ) -> Plan<Job, Answer> {
        var job = Job(
            header: receipt.header,
            claim: receipt.claim,
            form: input.form,
            digest: Digest.sha256(input.bytes),
            step: .verifyReceipt(""),
            host: .production
        )
        switch self.local.finding(on: input, now: attempt.now) {
        case .refused(let verdict, let reason):
            return .refuse(reason, self.answer(verdict, to: job))
        case .readable(let purchases, let credibility, let environment):
            job.local = purchases
            job.likelyEnvironment = environment
            // A receipt of iOS 6 may not say whose it is; one that says so is held to it.
            guard purchases.bundleID == nil || job.isOurs else {
                return .refuse(.foreign, self.answer(.notOurs, to: job))
            }
            return self.plan(receipt, input, job, app, credibility, attempt)
        }
    }

    private func plan(
        _ receipt: Receipt,
        _ input: ReceiptInput,
        _ job: Job,
        _ app: ReceiptSettings.App,
        _ credibility: LocalVerifier.Credibility,
        _ attempt: Attempt
    ) -> Plan<Job, Answer> {
        var job = job
        switch app.route {
        case .verifyReceipt where input.receiptData != nil:
            job.step = .verifyReceipt(input.receiptData ?? "")
        case .verifyReceipt where !self.canAskServerAPI(app): return self.locally(job, credibility, attempt)
        // A signed transaction is nothing that verifyReceipt takes.
        case .verifyReceipt, .serverAPI:
            // What has bought nothing has no transaction to ask about.
            guard let id = Self.id(toAskAbout: receipt, input, job) else {
                return self.locally(job, credibility, attempt)
            }
            job.step = .serverAPI(.transaction(id))
            job.asked = id
            job.host = receipt.hint ?? Self.host(of: job.likelyEnvironment)
        case .local: return self.locally(job, credibility, attempt)
        }
        return self.planned(job, attempt)
    }

    private func canAskServerAPI(_ app: ReceiptSettings.App) -> Bool {
        app.key != nil && self.local.ofAnswers != nil
    }

    /// The claimed transaction, or the newest of the claimed product, or the newest at all.
    private static func id(toAskAbout receipt: Receipt, _ input: ReceiptInput, _ job: Job)
        -> StoreTransactionID?
    {
        receipt.transactionID ?? job.local?.newestID(of: job.claim.productID)
            ?? input.transactionID.flatMap { StoreTransactionID($0) }
    }

    private static func job(_ receipt: Receipt, asking id: StoreTransactionID) -> Job {
        var job = Job(
            header: receipt.header,
            claim: receipt.claim,
            step: .serverAPI(.transaction(id)),
            host: receipt.hint ?? .production
        )
        job.asked = id
        return job
    }

    private static func host(of environment: StoreEnvironment?) -> StoreHost {
        environment == .sandbox ? .sandbox : .production
    }

    private func planned(_ job: Job, _ attempt: Attempt) -> Plan<Job, Answer> {
        guard let call = self.call(job, now: attempt.now) else {
            return .refuse(.cannotSign, self.answer(.unavailable, to: job))
        }
        return .call(call)
    }

    /// Judges by the signature alone.
    private func locally(_ job: Job, _ credibility: LocalVerifier.Credibility, _ attempt: Attempt)
        -> Plan<Job, Answer>
    {
        switch credibility {
        case .unverified(let reason): return .refuse(reason, self.answer(.unavailable, to: job))
        case .verified:
            let purchases = job.local ?? StorePurchases()
            if self.isTooOld(purchases, job, attempt) {
                return .refuse(.tooOld, self.answer(.unavailable, to: job))
            }
            if let flaw = purchases.flaw {
                return .refuse(flaw.reason(in: "transaction"), self.answer(.unavailable, to: job))
            }
            let judged = self.judged(purchases, job, attempt)
            var answer = judged.answer
            answer.source = .local
            return judged.refusal.map { .refuse($0, answer) } ?? .answer(answer)
        }
    }

    /// What Apple signed as a transaction says how that stood then.
    private func isTooOld(_ purchases: StorePurchases, _ job: Job, _ attempt: Attempt) -> Bool {
        guard let limit = self.settings.signedDataAge, job.form == .signed else { return false }
        let signedAt = purchases.transactions.first?.signedAt ?? .min
        return signedAt < attempt.now - limit.components.seconds * 1_000
    }

    package func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer? {
        guard let receipt = try? Receipt(decoding: record) else { return nil }
        var header = receipt.header
        header.bundleID = self.app(of: receipt)?.bundleID ?? header.bundleID
        return Answer(.unavailable, header)
    }

    package func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8] {
        ReceiptResult.encode(outcome, answer, as: format)
    }
}

extension ReceiptHandler {
    func answer(_ verdict: ReceiptVerdict, to job: Job) -> Answer {
        var answer = Answer(verdict, job.header)
        answer.form = job.form
        answer.receiptDigest = job.digest
        return answer
    }

    func judgement(
        of purchases: StorePurchases,
        _ job: Job,
        saidToBeExpired: Bool = false,
        _ attempt: Attempt
    ) -> ReceiptJudgement {
        ReceiptJudgement(
            of: purchases,
            claimed: job.claim,
            by: self.app(of: job)?.policy ?? StorePolicy(),
            saidToBeExpired: saidToBeExpired,
            now: attempt.now
        )
    }

    /// The checks that follow once a purchase is known to be real. With a refusal if they end in a no.
    func judged(_ purchases: StorePurchases, _ job: Job, saidToBeExpired: Bool = false, _ attempt: Attempt)
        -> (answer: Answer, refusal: Reason?)
    {
        let judgement = self.judgement(of: purchases, job, saidToBeExpired: saidToBeExpired, attempt)
        var answer = self.answer(judgement.verdict, to: job)
        answer.check = judgement.check?.code
        answer.isFlagged = judgement.isFlagged
        // What somebody else has bought is not shown.
        if judgement.verdict != .notOurs {
            answer.show(purchases, limit: self.settings.transactionsLimit, now: attempt.now)
        }
        switch judgement.verdict {
        case .invalid where judgement.isOpen && purchases.isIncomplete:
            // What is claimed may be among what nobody has read.
            answer.verdict = .unavailable
            return (answer, .incomplete)
        case .invalid, .notOurs: return (answer, judgement.check)
        case .valid, .expired, .refunded, .unavailable: return (answer, nil)
        }
    }

    /// The call for a job's step; nil if it cannot be signed.
    func call(_ job: Job, now: Int64) -> Call<Job>? {
        switch job.step {
        case .verifyReceipt(let data): self.verifyReceiptCall(data, job)
        case .serverAPI(let call): self.serverAPICall(call, job, now: now)
        }
    }

    private func verifyReceiptCall(_ data: String, _ job: Job) -> Call<Job> {
        let body = VerifyReceiptRequest(
            receiptData: data,
            password: self.keys.sharedSecret(of: job.claim.bundleID)?.revealBytes(),
            excludesOldTransactions: self.app(of: job)?.excludesOldTransactions ?? false
        )
        let base = self.settings.verifyReceiptHosts[job.host]?.text ?? job.host.verifyReceiptURL
        let request = HTTPRequest(
            method: .post,
            url: base + VerifyReceiptRequest.path,
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: body.body
        )
        return Call(
            request,
            for: job,
            lane: Self.lane(job, .verifyReceipt),
            endpoint: self.parts.verifyReceipt(job.host)
        )
    }

    /// A new token for every call, as Apple's library does it. It is good for minutes only.
    ///
    /// Only the first call of an attempt is called perishable: a later one that finds its lane held waits there, since
    /// to be planned anew would ask the other host once more for every time that this one cannot be asked.
    private func serverAPICall(_ call: AppStoreCall, _ job: Job, now: Int64) -> Call<Job>? {
        guard let key = self.keys.key(of: job.claim.bundleID) else { return nil }
        let token = ProviderToken(
            appStoreKey: key.keyID,
            issuer: key.issuerID,
            bundleID: job.claim.bundleID,
            now: now,
            lifetime: self.settings.tokenLifetime,
            backdating: self.settings.tokenBackdating
        )
        guard let text = try? token.signed(with: key.signer) else { return nil }
        var job = job
        job.signedAt = now
        let base = self.settings.appStoreHosts[job.host]?.text ?? job.host.appStoreURL
        let request = HTTPRequest(
            method: .get,
            url: base + call.path,
            headers: [
                HTTPHeader("Authorization", "Bearer \(text)"), HTTPHeader("Accept", "application/json"),
            ]
        )
        return Call(
            request,
            for: job,
            lane: Self.lane(job, .serverAPI),
            endpoint: self.parts.serverAPI(job.host, of: job.claim.bundleID),
            isPerishable: job.calls == 1,
            isSecondTry: job.isRenewed
        )
    }

    /// The app, the interface and the environment: all that shares one configuration and one host.
    static func lane(_ job: Job, _ route: ReceiptSettings.Route) -> String {
        "\(job.claim.bundleID)/\(route.rawValue)/\(job.host.rawValue)"
    }
}

extension Reason {
    static let unknownApp = Reason("configuration.unknown_app", "The app is not configured.")
    static let noReceipt = Reason(
        "receipt.missing",
        "There is no receipt, and the app's route does not verify by a transaction id."
    )
    static let foreign = Reason("bundle.foreign", "The receipt is one of another app.")
    static let incomplete = Reason(
        "purchases.incomplete",
        "What is claimed is not among the purchases that were read, and there are more."
    )
    static let tooOld = Reason(
        "jws.too_old",
        "Apple signed the transaction too long ago to say how it stands now, and there is nobody to ask."
    )
    static let cannotSign = Reason(
        "token.cannot_sign",
        "There is no key to sign a token for Apple with, or OpenSSL could not sign."
    )
}
