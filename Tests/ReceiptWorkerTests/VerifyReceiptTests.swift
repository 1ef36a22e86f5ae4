import Foundation
import Logging
import Operations
import Records
import TestMaterial
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// The route through verifyReceipt, from the record to the verdict.
@Suite struct VerifyReceiptTests {
    private static let good =
        #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":[]}}"#
    private static let lane = "com.example.app/verifyreceipt"

    // MARK: plan

    @Test func asksProductionFirst() throws {
        // The receipt is one of the sandbox, and says so: App Review buys there with the build for production.
        let call = try Case().call(try Case.appReceipt("subscription"))
        #expect(call.request.method == .post)
        #expect(call.request.url == "https://buy.itunes.apple.com/verifyReceipt")
        #expect(call.lane == "\(Self.lane)/production")
        #expect(!call.isPerishable && !call.isSecondTry)
        let receipt = try ReceiptVector.named("subscription").receipt_b64
        let expected: NSDictionary = ["receipt-data": receipt, "password": "s3cret"]
        #expect(Case.body(of: call.request) == expected)
        let only = try Case { $0.apps[0].excludesOldTransactions = true }.call(try Case.appReceipt())
        #expect(Case.body(of: only.request)["exclude-old-transactions"] as? Bool == true)
        let elsewhere = try Case { $0.verifyReceiptHosts[.production] = try? BaseURL("http://127.0.0.1:1/x") }
        #expect(try elsewhere.call(try Case.appReceipt()).request.url == "http://127.0.0.1:1/x/verifyReceipt")
    }

    @Test func undoesTheAccidentsOfTransport() throws {
        let receipt = try ReceiptVector.named("subscription").receipt_b64
        let broken = receipt.replacing("+", with: " ").replacing("=", with: "%3D")
        let call = try Case().call(Case.record(["receiptData": broken]))
        #expect(Case.body(of: call.request)["receipt-data"] as? String == receipt)
    }

    /// Nothing of this costs a call, and nothing of it can hold anybody up.
    @Test(arguments: ["truncated", "garbage", "length_overflow", "content_tampered", "untrusted_root"])
    func refusesWhatIsNoReceiptWithoutACall(name: String) throws {
        let text = Case.text(try Case().plan(try Case.appReceipt(name)))
        #expect(text.hasPrefix("refuse receipt.") && text.hasSuffix(" invalid"), "\(text)")
        // Without anchors it can only be looked at.
        let looked = Case.text(try Case(anchored: false).plan(try Case.appReceipt(name)))
        let isReadable = ["content_tampered", "untrusted_root"].contains(name)
        #expect(looked.hasPrefix(isReadable ? "call " : "refuse receipt."), "\(looked)")
    }

    @Test(arguments: [true, false]) func refusesAForeignReceiptWithoutACall(anchored: Bool) throws {
        let testCase = try Case(anchored: anchored, bundleID: "com.example.other")
        let record = try Case.appReceipt("subscription", ["bundleId": "com.example.other"])
        #expect(Case.text(testCase.plan(record)) == "refuse bundle.foreign not_ours")
        let old = Case.record([
            "bundleId": "com.example.other",
            "receiptData": try TransactionReceiptVector.named("valid_sandbox").receipt_b64,
        ])
        #expect(Case.text(testCase.plan(old)) == "refuse bundle.foreign not_ours")
    }

    @Test(
        arguments: [
            (
                ["bundleId": "com.example.other", "receiptData": "x"],
                "reject configuration.unknown_app invalid"
            ),
            (["transactionId": "1"], "refuse receipt.missing invalid"),
            (["receiptData": "<html>"], "refuse receipt.markup invalid"),
        ] as [([String: String], String)]
    )
    func rejectsWhatCannotBeAsked(members: [String: String], expected: String) throws {
        #expect(Case.text(try Case().plan(Case.record(members))) == expected)
    }

    @Test func anAppIsNamedWhereThereAreSeveral() throws {
        let record = try Case.appReceipt("subscription", ["bundleId": ""])
        #expect(try Case().call(record).lane == "\(Self.lane)/production")
        let two = try Case { $0.apps.append(.init(bundleID: "com.example.other", route: .local)) }
        #expect(Case.text(two.plan(record)) == "reject configuration.unknown_app invalid")
    }

    /// verifyReceipt takes no signed transactions; their signature has to do.
    @Test func verifiesASignedTransactionByItself() throws {
        let record = Case.record(["receiptData": try JWSVector.named("valid").jws])
        let keyless = try Case { $0.apps[0].key = nil }
        #expect(Case.text(keyless.plan(record)) == "answer valid flagged")
        #expect(
            Case.text(try Case(anchored: false).plan(record)) == "refuse configuration.no_anchor unavailable"
        )
    }

    // MARK: interpret

    /// The vectors' word for a verdict.
    private static func action(_ verdict: Case.Verdict, after host: StoreHost) -> String {
        switch verdict {
        case .answer(let answer):
            return answer.verdict == .expired ? "ACCEPT_EXPIRED" : "ACCEPT"
        case .call: return host == .production ? "TRY_SANDBOX" : "TRY_PRODUCTION"
        case .retry(let retry): return retry.blame == .record ? "RETRY_LIMITED" : "RETRY"
        case .refuse: return "REJECT"
        case .hold: return "CONFIG"
        case .giveUp, .refuseInDoubt, .reject: return "-"
        }
    }

    @Test(arguments: StoreDecisionVector.verifyReceipt)
    func decidesAsTheVectorsDo(row: StoreDecisionVector) throws {
        let testCase = try Case()
        var job = try testCase.call(try Case.appReceipt()).job
        job.host = try #require(StoreHost(rawValue: row.env))
        job.visited = Set(try (row.visited ?? []).map { try #require(StoreHost(rawValue: $0)) })
        let exchange: Exchange
        if let status = row.http_status {
            exchange = .response(HTTPResponse(status: status, body: Array((row.body ?? "").utf8)))
        } else {
            let kind = try #require(
                ["dns": TransferError.Kind.resolve, "tls_verify": .tls][row.transport_error ?? ""]
            )
            exchange = .failure(TransferError(kind: kind, mayHaveBeenSent: false, message: "no"))
        }
        let verdict = testCase.verdict(on: exchange, to: job, Attempt(number: 1, now: Case.now))
        #expect(Self.action(verdict, after: job.host) == row.action, "\(Case.text(verdict))")
    }

    @Test func goesToTheSandboxAndNoFurther() throws {
        let testCase = try Case()
        let first = try testCase.call(try Case.appReceipt())
        let second = try testCase.next(#"{"status":21007}"#, to: first.job)
        #expect(second.request.url == "https://sandbox.itunes.apple.com/verifyReceipt")
        #expect(second.request.body == first.request.body)
        #expect(second.lane == "\(Self.lane)/sandbox")
        let verdict = testCase.verdict(200, #"{"status":21008}"#, to: second.job, number: 2)
        #expect(Case.text(verdict) == "retry verifyreceipt.21008 record")
        let answer = testCase.verdict(200, Self.good.replacing("Production", with: "Sandbox"), to: second.job)
        #expect(Case.text(answer) == "answer valid flagged")
    }

    /// It tells something of our secret only if the receipt is ours.
    @Test func aWrongSecretHoldsTheLaneOnlyForAReceiptOfOurs() throws {
        let testCase = try Case()
        let body = #"{"status":21004}"#
        let ours = try testCase.call(try Case.appReceipt()).job
        #expect(Case.text(testCase.verdict(200, body, to: ours)) == "hold verifyreceipt.21004 lane")
        // One that does not say whose it is.
        let info = String(decoding: Base64.encode(Array(#"{ "transaction-id" = "1"; }"#.utf8)), as: UTF8.self)
        let list = #"{ "purchase-info" = "\#(info)"; }"#
        let nameless = try testCase.call(Case.record(["receiptData": list])).job
        let verdict = testCase.verdict(200, body, to: nameless)
        #expect(Case.text(verdict) == "refuse verifyreceipt.21004 invalid")
    }

    /// In a worker that runs, one odd receipt does not stop an app.
    @Test func doubtsASecretOnlyAfterSeveralReceipts() async throws {
        let testCase = try Case(isTrial: false)
        let instruments = Instruments(registry: PrometheusRegistry(), logger: Logger(label: "test"))
        #expect(testCase.handler.companions(instruments).isEmpty)
        let names = ["subscription", "sha1_digest", "big_transaction_id"]
        let jobs = try names.map { try testCase.call(try Case.appReceipt($0)).job }
        func text(_ number: Int, failures: Int = 0) -> String {
            Case.text(testCase.verdict(200, #"{"status":21004}"#, to: jobs[number], failures: failures))
        }
        let asked = "retry verifyreceipt.21004 record"
        #expect([text(0), text(0), text(0), text(1)] == [asked, asked, asked, asked])
        #expect(text(1, failures: 3) == "refuse verifyreceipt.21004 unavailable")
        #expect(text(2) == "hold verifyreceipt.21004 lane")
        #expect(text(0) == "hold verifyreceipt.21004 lane")
        // A receipt without a subscription says nothing of the secret; one with a subscription says that it is good.
        _ = testCase.verdict(200, Self.good, to: jobs[0])
        #expect(text(0) == "hold verifyreceipt.21004 lane")
        let subscribed = Self.good.replacing("[]", with: #"[{"transaction_id":"1","expires_date_ms":"1"}]"#)
        _ = testCase.verdict(200, subscribed, to: jobs[0])
        #expect(text(2) == asked)
    }

    @Test func asksAFewTimesAndThenBelievesIt() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        let body = #"{"status":29999}"#
        for number in 1...3 {
            let verdict = testCase.verdict(200, body, to: job, number: number)
            #expect(Case.text(verdict) == "retry verifyreceipt.unknown_status record")
        }
        let last = testCase.verdict(200, body, to: job, number: 4)
        #expect(Case.text(last) == "hold verifyreceipt.unknown_status lane")
        // Calls that an outage has cost do not count against the record: its first try may be its tenth call.
        let first = testCase.verdict(200, #"{"status":21002}"#, to: job, number: 10, failures: 0)
        #expect(Case.text(first) == "retry verifyreceipt.21002 record")
        // A status that Apple itself calls trouble has no such end here.
        let trouble = testCase.verdict(200, #"{"status":21005}"#, to: job, number: 99)
        #expect(Case.text(trouble) == "retry verifyreceipt.21005 upstream")
    }

    /// All calls to the environment that sent `Retry-After` wait.
    @Test func waitsAsLongAsAppleAsks() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        let header = ["retry-after": "120"]
        #expect(
            Case.text(testCase.verdict(503, "", header, to: job)) == "retry http.503 upstream after 120 gate"
        )
        #expect(
            Case.text(testCase.verdict(503, "", header, to: job.elsewhere()))
                == "retry http.503 upstream after 120 gate"
        )
        #expect(Case.text(testCase.verdict(503, to: job)) == "retry http.503 upstream")
    }

    @Test(
        arguments: [
            (.connect, false, "retry transport.connect upstream"),
            (.timeout, true, "retry transport.timeout_after_send upstream"),
            (.tls, false, "hold transport.tls lane"),
            (.tooLarge, true, "retry transport.too_large_after_send record"),
        ] as [(TransferError.Kind, Bool, String)]
    )
    func knowsWhatBroke(kind: TransferError.Kind, wasSent: Bool, expected: String) throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        let error = TransferError(kind: kind, mayHaveBeenSent: wasSent, message: "no")
        let exchange: Exchange = wasSent ? .ambiguous(error) : .failure(error)
        let verdict = testCase.verdict(on: exchange, to: job, Attempt(number: 1, now: Case.now))
        #expect(Case.text(verdict) == expected)
    }

    @Test func checksWhatAppleHasApproved() throws {
        let testCase = try Case()
        let call = try testCase.call(
            try Case.appReceipt("subscription", ["transactionId": "2000000123456789"])
        )
        func body(_ members: String, bundle: String = Case.app) -> String {
            #"""
            {"status":0,"environment":"Production","receipt":{"bundle_id":"\#(bundle)","in_app":[
              {"transaction_id":"2000000123456789","product_id":"pro"\#(members)}]}}
            """#
        }
        func text(_ body: String) -> String { Case.text(testCase.verdict(200, body, to: call.job)) }
        #expect(text(body(#","expires_date_ms":"4102444800000""#)) == "answer valid")
        // Apple does not say when it ends, and the receipt does.
        #expect(text(body("")) == "answer expired transaction.expired")
        #expect(text(body(#","expires_date_ms":"1""#)) == "answer expired transaction.expired")
        #expect(text(body(#","cancellation_date_ms":"1""#)) == "answer refunded transaction.revoked")
        #expect(text(body(#","is_upgraded":"true""#)) == "answer expired transaction.upgraded")
        #expect(text(body("", bundle: "x")) == "refuse bundle.foreign not_ours bundle.foreign")
        #expect(
            text(Self.good)
                == "refuse transaction.not_in_receipt invalid transaction.not_in_receipt"
        )
        guard case .answer(let answer) = testCase.verdict(200, body(""), to: call.job) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.source == .verifyReceipt && answer.form == .app && answer.appleStatus == 0)
        #expect(answer.receiptDigest.count == 32 && answer.header.requestID == "r-1")
        // Apple does not say what kind it is, and the receipt does.
        #expect(answer.purchases.first?.transaction.productType == .autoRenewableSubscription)
    }

    /// Apple may say that a subscription has ended without saying which: the receipt says it.
    @Test func holdsTheClaimAgainstWhatHasEnded() throws {
        let testCase = try Case()
        func text(_ body: String, _ members: [String: String] = [:]) throws -> String {
            let job = try testCase.call(try Case.appReceipt("subscription", members)).job
            return Case.text(testCase.verdict(200, body, to: job))
        }
        let bare = #"{"status":21006}"#
        #expect(try text(bare) == "answer expired transaction.expired")
        #expect(
            try text(bare, ["productId": "gold"])
                == "refuse product.not_in_receipt invalid product.not_in_receipt"
        )
        #expect(
            try text(bare, ["transactionId": "9"])
                == "refuse transaction.not_in_receipt invalid transaction.not_in_receipt"
        )
        func info(_ bundle: String, _ expires: Int64) -> String {
            #"""
            {"status":21006,"latest_expired_receipt_info":{"bid":"\#(bundle)","transaction_id":"5",
             "product_id":"pro","expires_date":"\#(expires)"}}
            """#
        }
        #expect(try text(info("x", 1)) == "refuse bundle.foreign not_ours bundle.foreign")
        #expect(try text(info(Case.app, Case.now)) == "answer expired transaction.expired")
        #expect(try text(info(Case.app, Case.now + 1)) == "answer valid")
        // Nothing that names no app: the receipt was read before.
        #expect(try text(info("", Case.now + 1)) == "answer valid")
        // A receipt that runs on by its own word is over by Apple's.
        let running = testCase.verdict(
            200,
            bare,
            to: try testCase.call(try Case.appReceipt()).job,
            now: Case.then
        )
        #expect(Case.text(running) == "answer expired verifyreceipt.21006")
    }

    @Test func asksAgainAboutWhatCannotBeRead() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        let body = #"""
            {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":[
              {"transaction_id":"1","expires_date_ms":"never"}]}}
            """#
        #expect(
            Case.text(testCase.verdict(200, body, to: job)) == "retry verifyreceipt.unreadable_expiry record"
        )
    }

    /// Where the app has a key, Apple is asked instead; where nobody can be asked, age is a reason for doubt.
    @Test func asksAboutASignedTransactionIfItCan() throws {
        let record = Case.record(["receiptData": try JWSVector.named("valid").jws, "environment": "sandbox"])
        let keyless = try Case { $0.apps[0].key = nil }
        #expect(Case.text(keyless.plan(record)) == "answer valid flagged")
        #expect(try Case().call(record).lane == "com.example.app/app_store_server_api/sandbox")
        let strict = try Case(.local) { $0.signedDataAge = .seconds(1_404_739) }
        // It was signed 1 404 739.877 s before.
        #expect(Case.text(strict.plan(record)) == "refuse jws.too_old unavailable")
        let patient = try Case(.local) { $0.signedDataAge = .seconds(1_404_740) }
        #expect(Case.text(patient.plan(record)) == "answer valid flagged")
        // A wall clock that is set wrong must not make it old.
        let unproven = patient.plan(record, now: Case.now + 86_400_000, proven: Case.now)
        #expect(Case.text(unproven) == "answer valid flagged")
    }

    /// A receipt of iOS 6 does not say in a way to believe where it comes from.
    @Test func takesNoReceiptsWordForItsEnvironment() throws {
        let text = String(
            decoding: try #require(
                Base64.decode(Array(try TransactionReceiptVector.named("valid_sandbox").receipt_b64.utf8))
            ),
            as: UTF8.self
        )
        let stripped = text.split(separator: "\n").filter { !$0.contains("environment") }.joined(
            separator: "\n"
        )
        #expect(stripped.utf8.count < text.utf8.count)
        for receipt in [text, stripped] {
            let job = try Case().call(Case.record(["receiptData": receipt, "bundleId": Case.app])).job
            #expect(job.local?.environment == nil)
        }
    }

    @Test func tellsThatNothingIsKnownWhenTheDeadlineHasPassed() throws {
        let attempt = Attempt(number: 3, now: Case.now)
        let answer = try Case().handler.expired(Case.record(["bundleId": "", "receiptData": "x"]), attempt)
        #expect(answer?.verdict == .unavailable)
        #expect(answer?.header.bundleID == Case.app)
        #expect(try Case().handler.expired(Case.record(["environment": "?"]), attempt) == nil)
    }
}
