import Cryptography
import Operations
package import Records
package import ServiceLifecycle
package import WireFormats
package import WorkerKit

/// The handler that finds out whether a purchase in Apple's store is valid. It uses the signature,
/// verifyReceipt or the App Store Server API, as each app is configured; the results have the same form.
///
/// Every call may be repeated, because no call changes anything at Apple. Each environment of each app and
/// interface is a lane of its own, so that a failure of the sandbox does not stop production.
package struct ReceiptHandler: Handler {
    /// The receipt of one record, with the state of its calls.
    package typealias Job = ReceiptJob
    /// The result of one record.
    package typealias Answer = ReceiptAnswer

    let settings: ReceiptSettings
    let local: LocalVerifier
    let keys: AppKeys
    let parts: StoreEndpoints
    private let apps: [String: ReceiptSettings.App]

    /// Creates a handler.
    package init(_ settings: ReceiptSettings) {
        self.settings = settings
        self.local = LocalVerifier(settings.anchors)
        self.keys = AppKeys(settings.apps)
        self.parts = StoreEndpoints(settings.apps)
        self.apps = Dictionary(settings.apps.map { ($0.bundleID, $0) }) { first, _ in first }
    }

    /// The endpoints of Apple, by the number in `Call.endpoint`.
    package var endpoints: [UpstreamEndpoint] { self.parts.list }

    /// A memory without doubts and served lanes.
    package var emptyMemory: ReceiptMemory {
        ReceiptMemory(doubts: SecretDoubts(limit: self.settings.secretDoubts))
    }

    /// Returns the watch of the secret files, if there are any.
    package func companions(_ instruments: Instruments) -> [any Service] {
        SecretFileWatch.services(self.watchedFiles, instruments.logger)
    }

    /// The secret files of all apps. A change replaces the secret, which ends the doubts about the old one.
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

    /// Decides what to do with a record: a call to Apple, a local answer, a refusal of what a client has
    /// sent, or a dead letter for a wrong record.
    package func plan(
        _ record: InboundRecord,
        _ attempt: Attempt,
        with memory: inout ReceiptMemory
    ) -> Plan<Job, Answer> {
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
            let reason = Reason.unknownApp(receipt.header.bundleID)
            return .reject(Rejection(reason, kind: .invalid, replayable: .afterFix))
        }
        receipt.header.bundleID = app.bundleID
        guard !receipt.text.isEmpty else { return self.planWithoutReceipt(receipt, app, at: attempt) }
        do throws(AppReceiptFault) {
            return self.plan(receipt, try ReceiptInput(receipt.text), for: app, in: attempt)
        } catch {
            return .refuse(error.reason, Answer(.invalid, receipt.header))
        }
    }

    /// Returns the configured app of a record. A record that names no app belongs to the only configured app,
    /// if there is just one.
    private func app(of receipt: Receipt) -> ReceiptSettings.App? {
        guard receipt.header.bundleID.isEmpty else { return self.apps[receipt.header.bundleID] }
        return self.settings.apps.count == 1 ? self.settings.apps.first : nil
    }

    func app(of job: Job) -> ReceiptSettings.App? { self.apps[job.claim.bundleID] }

    /// Plans a record that has a transaction id and no receipt. Only the App Store Server API can answer it.
    private func planWithoutReceipt(_ receipt: Receipt, _ app: ReceiptSettings.App, at attempt: Attempt)
        -> Plan<Job, Answer>
    {
        guard app.route == .serverAPI, let id = receipt.transactionID else {
            return .refuse(.noReceipt, Answer(.invalid, receipt.header))
        }
        return self.planned(Self.job(receipt, asking: id), attempt)
    }

    /// Verifies a receipt locally, and plans the route of its app.
    private func plan(
        _ receipt: Receipt,
        _ input: ReceiptInput,
        for app: ReceiptSettings.App,
        in attempt: Attempt
    ) -> Plan<Job, Answer> {
        var job = Job(
            header: receipt.header,
            claim: receipt.claim,
            form: input.form,
            digest: Digest.sha256(input.bytes),
            step: .verifyReceipt(""),
            host: .production
        )
        switch self.local.finding(on: input, now: attempt.proven) {
        case .refused(let verdict, let reason):
            return .refuse(reason, self.answer(verdict, to: job))
        case .readable(let purchases, let credibility, let environment):
            job.local = purchases
            job.credibility = credibility
            job.likelyEnvironment = environment
            // A receipt of iOS 6 need not name its app. If a receipt names one, it must be the app of the
            // record.
            guard purchases.bundleID == nil || job.isOurs else {
                return .refuse(.foreign, self.answer(.notOurs, to: job))
            }
            return self.plan(receipt, input, of: job, for: app, credibility: credibility, in: attempt)
        }
    }

    private func plan(
        _ receipt: Receipt,
        _ input: ReceiptInput,
        of job: Job,
        for app: ReceiptSettings.App,
        credibility: LocalVerifier.Credibility,
        in attempt: Attempt
    ) -> Plan<Job, Answer> {
        var job = job
        switch app.route {
        case .verifyReceipt where input.receiptData != nil:
            job.step = .verifyReceipt(input.receiptData ?? "")
            // A wrong hint costs one call and does not change the verdict: a purchase that the sandbox
            // accepts is one of the sandbox.
            job.host = receipt.hint ?? .production
        case .verifyReceipt where !self.canAskServerAPI(app):
            return self.locally(job, credibility, at: attempt)
        // verifyReceipt does not accept signed transactions, so the App Store Server API is asked instead.
        case .verifyReceipt, .serverAPI:
            // Apple would get only an id and not the receipt, so it could not detect a forged receipt.
            if case .unverified(let reason) = credibility, self.local.demandsProof(of: input.form) {
                return .refuse(reason, self.answer(.unavailable, to: job))
            }
            // A receipt without a purchase has no transaction to ask about.
            guard let id = Self.id(toAskAbout: receipt, input, job) else {
                return self.locally(job, credibility, at: attempt)
            }
            job.step = .serverAPI(.transaction(id))
            job.asked = id
            job.host = receipt.hint ?? Self.host(of: job.likelyEnvironment)
        case .local: return self.locally(job, credibility, at: attempt)
        }
        return self.planned(job, attempt)
    }

    /// Returns whether the app has a key, and the answers of the App Store Server API can be verified.
    private func canAskServerAPI(_ app: ReceiptSettings.App) -> Bool {
        app.key != nil && self.local.ofAnswers != nil
    }

    /// Returns the transaction to ask about: the claimed one, or the newest of the claimed product, or the
    /// newest of the receipt.
    private static func id(toAskAbout receipt: Receipt, _ input: ReceiptInput, _ job: Job)
        -> StoreTransactionID?
    {
        receipt.transactionID ?? job.local?.newestID(of: job.claim.productID)
            ?? input.transactionID.flatMap { StoreTransactionID($0) }
    }

    /// Returns the job of a record without a receipt.
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

    /// Returns the plan to make the job's call, or a refusal if no token can be signed for it.
    private func planned(_ job: Job, _ attempt: Attempt) -> Plan<Job, Answer> {
        guard let call = self.call(job, now: attempt.now) else {
            return .refuse(.cannotSign, self.answer(.unavailable, to: job))
        }
        return .call(call)
    }

    /// Answers from the signature alone, without a call.
    private func locally(_ job: Job, _ credibility: LocalVerifier.Credibility, at attempt: Attempt)
        -> Plan<Job, Answer>
    {
        switch credibility {
        case .unverified(let reason): return .refuse(reason, self.answer(.unavailable, to: job))
        case .weaklySigned: return .refuse(.weakSignature, self.answer(.unavailable, to: job))
        case .verified:
            let purchases = job.local ?? StorePurchases()
            if self.isTooOld(purchases, job, at: attempt) {
                return .refuse(.tooOld, self.answer(.unavailable, to: job))
            }
            if let flaw = purchases.flaw {
                return .refuse(flaw.reason(in: "transaction"), self.answer(.unavailable, to: job))
            }
            let judged = self.judged(purchases, job, at: attempt)
            var answer = judged.answer
            answer.source = .local
            return judged.refusal.map { .refuse($0, answer) } ?? .answer(answer)
        }
    }

    /// Returns whether a signed transaction is too old to decide by itself. Its signature shows only the
    /// state at the time of signing.
    private func isTooOld(_ purchases: StorePurchases, _ job: Job, at attempt: Attempt) -> Bool {
        guard let limit = self.settings.signedDataAge, job.form == .signed else { return false }
        let signedAt = purchases.transactions.first?.signedAt ?? .min
        return signedAt < attempt.proven - limit.components.seconds * 1_000
    }

    /// Returns the answer for a record whose deadline has passed: `unavailable`. Nil if the record cannot be
    /// decoded.
    package func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer? {
        guard let receipt = try? Receipt(decoding: record) else { return nil }
        var header = receipt.header
        header.bundleID = self.app(of: receipt)?.bundleID ?? header.bundleID
        return Answer(.unavailable, header)
    }

    /// Returns a shorter form of the answer, for an outcome that is too large for the broker; nil if it
    /// cannot be shortened.
    package func smaller(_ answer: Answer) -> Answer? { answer.shortened }

    /// Returns the members of a record that `SchemaFields` does not list.
    package func unknownFields(in record: InboundRecord) -> UnknownFields? {
        UnknownFields(of: record, in: .receipt, bytesLimit: Receipt.recordBytesLimit)
    }

    package func object(in record: InboundRecord) -> JSONObject? { RecordObject.receipt(record) }

    /// Encodes the value of the result record. `answer` is nil if Apple has said nothing final.
    package func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8] {
        ReceiptResult.encode(outcome, answer, as: format)
    }
}

extension Reason {
    static func unknownApp(_ bundleID: String) -> Reason {
        Reason(
            "configuration.unknown_app",
            bundleID.isEmpty
                ? "The record names no bundle id, and not exactly one app is configured."
                : "No app with the bundle id \(SafeText.line(bundleID, limit: 155)) is configured."
        )
    }

    static let noReceipt = Reason(
        "receipt.missing",
        "There is no receipt, and the app's route does not verify by a transaction id."
    )
    static let foreign = Reason("bundle.foreign", "The receipt is one of another app.")
    static let incomplete = Reason(
        "purchases.incomplete",
        "The claimed purchase is not among the purchases that were read, and there are more."
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
