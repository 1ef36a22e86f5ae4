import Foundation
import Logging
import Operations
import Testing
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// Answers of Apple's that lack something: no customer is turned away for it, and nothing is valid for ever.
@Suite struct HonestAnswerTests {
    private static func api() throws -> Case {
        let anchors = try StoreVoice.anchors
        return try Case(.serverAPI) {
            $0.anchors.signedData = anchors
            $0.apps[0].asksForSubscriptions = false
        }
    }

    private static func text(_ testCase: Case, _ payload: StoreVoice.Payload, failures: Int = 0) throws
        -> String
    {
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        return Case.text(
            testCase.verdict(200, try StoreVoice.transaction(payload), to: job, failures: failures)
        )
    }

    /// Apple leaves the bundle id out now and then (app-store-server-library-python#113, -node#217, -swift#71). The token
    /// that it answers to is good for one app only.
    @Test func anAnswerWithoutABundleIDIsOfTheAppThatAsked() throws {
        let testCase = try Self.api()
        var payload = StoreVoice.purchase("1")
        payload["bundleId"] = nil
        #expect(try Self.text(testCase, payload) == "answer valid")
        payload["bundleId"] = "com.example.elsewhere"
        #expect(try Self.text(testCase, payload) == "refuse jws.bundle_id not_ours")
    }

    /// A client's own signed transaction is another matter: it may be of any app.
    @Test func aReceiptWithoutABundleIDIsUnknownAndNotForeign() throws {
        let local = try Case(.local) { $0.anchors.signedData = try? StoreVoice.anchors }
        var payload = StoreVoice.purchase("1")
        payload["bundleId"] = nil
        let plan = local.plan(Case.record(["receiptData": try StoreVoice.signed(payload)]))
        #expect(Case.text(plan) == "refuse bundle.nameless unavailable bundle.nameless")
    }

    @Test func anEmptyApprovalOfAReceiptOfOursIsNoForeignOne() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        let empty = #"{"status":0,"receipt":{}}"#
        #expect(
            Case.text(testCase.verdict(200, empty, to: job, failures: 0))
                == "retry verifyreceipt.no_receipt record"
        )
        #expect(
            Case.text(testCase.verdict(200, empty, to: job, failures: 3))
                == "refuse verifyreceipt.no_receipt unavailable"
        )
        // Purchases without the app's name are of the app whose receipt Apple has approved.
        let nameless = #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"pro"}]}}"#
        #expect(Case.text(testCase.verdict(200, nameless, to: job)) == "answer valid")
        let foreign = nameless.replacing(#""in_app""#, with: #""bundle_id":"x","in_app""#)
        #expect(
            Case.text(testCase.verdict(200, foreign, to: job)).hasPrefix("refuse bundle.foreign not_ours")
        )
    }

    @Test(
        arguments: [
            (["productId": ""], "transaction.without_product"),
            (["type": "Auto-Renewable Subscription"], "transaction.without_expiry"),
        ] as [(StoreVoice.Payload, String)]
    )
    func whatLacksItsProductOrItsEndIsNotValidForEver(more: StoreVoice.Payload, code: String) throws {
        let testCase = try Self.api()
        let payload = StoreVoice.purchase("1", more)
        #expect(try Self.text(testCase, payload) == "retry \(code) record")
        #expect(try Self.text(testCase, payload, failures: 3) == "refuse \(code) unavailable \(code)")
        // Taken back is taken back.
        let revoked = payload.merging(["revocationDate": .number(Case.now - 1)]) { $1 }
        #expect(try Self.text(testCase, revoked) == "answer refunded transaction.revoked")
        let local = try Case(.local) { $0.anchors.signedData = try? StoreVoice.anchors }
        let plan = local.plan(Case.record(["receiptData": try StoreVoice.signed(payload)]))
        #expect(Case.text(plan) == "refuse \(code) unavailable \(code)")
    }

    /// verifyReceipt names no type. A period, a group or a renewal shows that a purchase is a subscription.
    @Test(
        arguments: [
            (#""web_order_line_item_id":"7""#, ""), (#""subscription_group_identifier":"9""#, ""),
            (
                #""quantity":"1""#,
                #","pending_renewal_info":[{"original_transaction_id":"1","auto_renew_status":"1"}]"#
            ),
        ]
    )
    func aSubscriptionOfVerifyReceiptWithoutItsEndIsNotValidForEver(member: String, more: String) throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt("subscription", [:])).job
        func body(_ member: String) -> String {
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":["#
                + #"{"transaction_id":"1","original_transaction_id":"1","product_id":"pro",\#(member)}]}\#(more)}"#
        }
        #expect(
            Case.text(testCase.verdict(200, body(member), to: job, failures: 0))
                == "retry transaction.without_expiry record"
        )
        let end = #"\#(member),"expires_date_ms":"\#(Case.now + 1_000)""#
        #expect(Case.text(testCase.verdict(200, body(end), to: job, failures: 0)) == "answer valid")
    }

    /// One odd purchase of a receipt spoils none of the others.
    @Test func oneOddPurchaseSpoilsNoOther() throws {
        let testCase = try Case()
        func text(_ claim: [String: String]) throws -> String {
            let body = #"""
                {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":[
                  {"transaction_id":"1"},{"transaction_id":"2","product_id":"pro"}]}}
                """#
            let job = try testCase.call(try Case.appReceipt("subscription", claim)).job
            return Case.text(testCase.verdict(200, body, to: job, failures: 0))
        }
        #expect(try text([:]) == "answer valid")
        #expect(try text(["transactionId": "2"]) == "answer valid")
        #expect(try text(["transactionId": "1"]) == "retry transaction.without_product record")
    }

    /// A subscription that Apple calls expired is shown as expired.
    @Test(
        arguments: [
            #"{"status":21006}"#,
            #"{"status":21006,"receipt":{"bid":"com.example.app","transaction_id":"1","product_id":"pro"}}"#,
        ]
    )
    func showsNothingActiveBelowExpired(body: String) throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        guard case .answer(let answer) = testCase.verdict(200, body, to: job, now: Case.then) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.verdict == .expired)
        #expect(answer.purchases.map(\.state) == [.expired])
    }

    /// A purchase that the sandbox has accepted earns nothing, whatever the sandbox says.
    @Test func theSandboxSayingProductionIsFlagged() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job.elsewhere()
        for more in ["", #","receipt_type":"Production""#] {
            let body = #"""
                {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":[]\#(more)}}
                """#
            #expect(Case.text(testCase.verdict(200, body, to: job)) == "answer valid flagged")
        }
    }

    // MARK: a corrected secret

    /// Doubts of the old secret say nothing of the new one, and answers to the old one neither.
    @Test func aNewSecretStartsWithoutDoubts() throws {
        let testCase = try Case(isTrial: false) {
            $0.apps[0].files = [.init(.sharedSecret, path: "/nowhere", text: Secret("s3cret"))]
        }
        let names = ["subscription", "sha1_digest", "big_transaction_id"]
        let jobs = try names.map { try testCase.call(try Case.appReceipt($0)).job }
        let refusal = #"{"status":21004}"#
        #expect(
            jobs.prefix(2).allSatisfy { !Case.text(testCase.verdict(200, refusal, to: $0)).hasPrefix("hold") }
        )
        try testCase.handler.watchedFiles[0].use(Secret("corrected"))
        // This answer is about the secret of before: the receipt is shown again, with the new one.
        let again = try testCase.next(refusal, to: jobs[2])
        #expect(Case.body(of: again.request)["password"] as? String == "corrected")
        #expect(
            Case.text(testCase.verdict(200, refusal, to: again.job)) == "retry verifyreceipt.21004 record"
        )
        let others = try names.prefix(2).map { try testCase.call(try Case.appReceipt($0)).job }
        #expect(
            Case.text(testCase.verdict(200, refusal, to: others[0])) == "retry verifyreceipt.21004 record"
        )
        #expect(Case.text(testCase.verdict(200, refusal, to: others[1])) == "hold verifyreceipt.21004 lane")
    }
}
