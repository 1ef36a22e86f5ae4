import Cryptography
import Operations
package import Records
package import ServiceLifecycle
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
    let served = ServedLanes()
    let parts: StoreEndpoints
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
        self.served.goLive()
        let files = self.watchedFiles
        return files.isEmpty ? [] : [SecretFileWatch(files, surroundings.logger)]
    }

    var watchedFiles: [SecretFileWatch.File] {
        self.settings.apps.flatMap { app in
            app.files.map { file in
                SecretFileWatch.File(path: file.path, owner: ["app": app.bundleID], known: file.text) {
                    [keys = self.keys, doubts = self.doubts] secret in
                    try keys.replace(file.content, of: app.bundleID, by: secret)
                    if file.content == .sharedSecret { doubts.secretChanged(of: app.bundleID) }
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
            return .refuse(.noReceipt, Answer(.invalid, receipt.header))
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
            job.credibility = credibility
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
            // A wrong hint costs a call and decides nothing: what the sandbox accepts is a purchase of the sandbox.
            job.host = receipt.hint ?? .production
        case .verifyReceipt where !self.canAskServerAPI(app): return self.locally(job, credibility, attempt)
        // A signed transaction is nothing that verifyReceipt takes.
        case .verifyReceipt, .serverAPI:
            // Apple would be shown an id and not the receipt, so that a forged one would never be found out.
            if case .unverified(let reason) = credibility, self.local.demandsProof(of: input.form) {
                return .refuse(reason, self.answer(.unavailable, to: job))
            }
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
        case .weaklySigned: return .refuse(.weakSignature, self.answer(.unavailable, to: job))
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

    package func smaller(_ answer: Answer) -> Answer? { answer.shortened }

    package func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8] {
        ReceiptResult.encode(outcome, answer, as: format)
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
