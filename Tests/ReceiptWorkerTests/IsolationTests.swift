import Records
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// A client chooses its receipt and its ids: what Apple says of those must stop nobody else.
@Suite struct IsolationTests {
    private static let lane = "com.example.app"

    private static let names = ["subscription", "sha1_digest", "big_transaction_id"]

    // MARK: verifyReceipt

    /// Any bytes that look like a receipt may be called malformed, in any number.
    @Test(arguments: [21002, 29999]) func aStatusAboutUnverifiedReceiptsHoldsNothing(status: Int) throws {
        let testCase = try Case(isTrial: false, anchored: false)
        for name in Self.names {
            let job = try testCase.call(try Case.appReceipt(name)).job
            let body = #"{"status":\#(status)}"#
            #expect(Case.text(testCase.verdict(200, body, to: job, failures: 0)).hasPrefix("retry "))
            let last = Case.text(testCase.verdict(200, body, to: job, failures: 3))
            #expect(last.hasPrefix("refuse verifyreceipt.") && last.hasSuffix(" unavailable"), "\(last)")
        }
    }

    /// Several different receipts that Apple signed, and no good answer between: that is no client's doing.
    @Test(arguments: [21002, 29999]) func severalVerifiedReceiptsAreEvidence(status: Int) throws {
        let testCase = try Case(isTrial: false)
        let jobs = try Self.names.map { try testCase.call(try Case.appReceipt($0)).job }
        let body = #"{"status":\#(status)}"#
        func last(_ number: Int) -> String {
            Case.text(testCase.verdict(200, body, to: jobs[number], failures: 3))
        }
        // One odd receipt may be sent as often as its owner likes.
        for _ in 1...9 { #expect(last(0).hasSuffix(" unavailable")) }
        #expect(last(1).hasSuffix(" unavailable"))
        #expect(last(2).hasPrefix("hold verifyreceipt."))
        let good = #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]}}"#
        _ = testCase.verdict(200, good, to: jobs[0])
        #expect(last(2).hasSuffix(" unavailable"))
    }

    /// A wrong secret is believed after several receipts. Until then nothing is said against the lane.
    @Test func oneReceiptWithAWrongSecretHoldsNothing() throws {
        let testCase = try Case(isTrial: false)
        let job = try testCase.call(try Case.appReceipt()).job
        for _ in 1...9 {
            let last = Case.text(testCase.verdict(200, #"{"status":21004}"#, to: job, failures: 3))
            #expect(last == "refuse verifyreceipt.21004 unavailable")
        }
    }

    /// The size of a receipt is its client's, and so is that of the answer about it.
    @Test func whatIsTooLargeIsAboutOneRecord() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        #expect(Case.text(testCase.verdict(413, to: job, failures: 0)) == "retry http.413 record")
        #expect(Case.text(testCase.verdict(413, to: job, failures: 3)) == "refuse http.413 unavailable")
        let error = TransferError(kind: .tooLarge, mayHaveBeenSent: true, message: "no")
        let attempt = Attempt(number: 4, failures: 3, now: Case.now)
        let verdict = testCase.verdict(on: .ambiguous(error), to: job, attempt)
        #expect(Case.text(verdict) == "refuse transport.too_large_after_send unavailable")
    }

    /// A page in the way is nobody's receipt: that goes on as before.
    @Test func whatSaysNothingOfTheReceiptIsStillADeadLetter() throws {
        let testCase = try Case()
        let job = try testCase.call(try Case.appReceipt()).job
        for (status, body) in [(403, "<html>Forbidden</html>"), (200, "{}"), (200, "null")] {
            let last = Case.text(testCase.verdict(status, body, to: job, failures: 3))
            #expect(last.hasSuffix(" exhausted configuration"), "\(last)")
        }
    }

    // MARK: the App Store Server API

    /// Apple names an unknown purchase in JSON: an empty 404 comes of a wrong address.
    @Test(
        arguments: [
            (404, "", nil), (404, "<html></html>", "text/html"), (403, "", nil), (301, "", nil),
            (405, "", nil), (403, #"{"errorCode":4030001}"#, "application/json"),
        ] as [(Int, String, String?)]
    )
    func aFaultOfAddressHoldsAtOnce(status: Int, body: String, type: String?) throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        let headers = type.map { ["content-type": $0] } ?? [:]
        #expect(Case.text(testCase.verdict(status, body, headers, to: job)) == "hold http.\(status) lane")
    }

    /// A client may send any id.
    @Test func aCodeAboutAnIDHoldsNothing() throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        for (status, code) in [(400, 4_000_999), (404, 4_040_999)] {
            let body = #"{"errorCode":\#(code)}"#
            #expect(
                Case.text(testCase.verdict(status, body, to: job, failures: 0))
                    == "retry appstore.unknown_code record"
            )
            #expect(
                Case.text(testCase.verdict(status, body, to: job, failures: 3))
                    == "refuse appstore.unknown_code unavailable"
            )
        }
    }

    /// Our requests are in order while Apple answers others: what it then calls a bad one is this client's id or receipt.
    @Test func aBadRequestIsOneRecordsWhereOthersAreAnswered() throws {
        let api = try Case(.serverAPI, isTrial: false) {
            $0.anchors.signedData = try? StoreVoice.anchors
            $0.apps[0].asksForSubscriptions = false
        }
        let job = try api.call(Case.record(["transactionId": "1"])).job
        let bad = #"{"errorCode":4000000}"#
        #expect(Case.text(api.verdict(400, bad, to: job)) == "hold appstore.bad_request lane")
        let good = try StoreVoice.transaction(StoreVoice.purchase("1"))
        #expect(Case.text(api.verdict(200, good, to: job)) == "answer valid")
        #expect(Case.text(api.verdict(400, bad, to: job, failures: 0)) == "retry appstore.bad_request record")
        #expect(
            Case.text(api.verdict(400, bad, to: job, failures: 3))
                == "refuse appstore.bad_request unavailable"
        )
        // The sandbox has answered nobody.
        #expect(Case.text(api.verdict(400, bad, to: job.elsewhere())) == "hold appstore.bad_request lane")

        let classic = try Case(isTrial: false)
        let receipt = try classic.call(try Case.appReceipt()).job
        let unread = #"{"status":21000}"#
        #expect(Case.text(classic.verdict(200, unread, to: receipt)) == "hold verifyreceipt.21000 lane")
        _ = classic.verdict(200, #"{"status":21003}"#, to: receipt)
        #expect(
            Case.text(classic.verdict(200, unread, to: receipt, failures: 3))
                == "refuse verifyreceipt.21000 unavailable"
        )
    }

    /// Apple's own trouble is waited for, and settles nothing.
    @Test func anInternalErrorIsWaitedFor() throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        #expect(
            Case.text(testCase.verdict(500, #"{"errorCode":5000000}"#, to: job, failures: 99))
                == "retry appstore.internal upstream"
        )
    }

    @Test func anOddPurchaseHoldsNothing() throws {
        let testCase = try Case(.serverAPI) {
            $0.anchors.signedData = try? StoreVoice.anchors
            $0.apps[0].asksForSubscriptions = false
        }
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        let odd = try StoreVoice.transaction(StoreVoice.purchase("1", ["expiresDate": "tomorrow"]))
        #expect(
            Case.text(testCase.verdict(200, odd, to: job, failures: 3))
                == "refuse transaction.unreadable_expiry unavailable"
        )
    }

    // MARK: a hint of the sandbox

    /// With production down, purchases of the sandbox go on.
    @Test func asksTheSandboxFirstWhereTheRecordNamesIt() throws {
        let testCase = try Case()
        let first = try testCase.call(try Case.appReceipt("subscription", ["environment": "sandbox"]))
        #expect(first.request.url == "https://sandbox.itunes.apple.com/verifyReceipt")
        #expect(first.lane == "\(Self.lane)/verifyreceipt/sandbox")
        let good =
            #"{"status":0,"environment":"Sandbox","receipt":{"bundle_id":"com.example.app","in_app":[]}}"#
        #expect(Case.text(testCase.verdict(200, good, to: first.job)) == "answer valid flagged")
        // A hint makes no purchase of the sandbox one of production, whatever the sandbox says.
        let lying = good.replacing("Sandbox", with: "Production")
        #expect(Case.text(testCase.verdict(200, lying, to: first.job)) == "answer valid flagged")
        // A wrong hint costs one call.
        let second = try testCase.next(#"{"status":21008}"#, to: first.job)
        #expect(second.lane == "\(Self.lane)/verifyreceipt/production")
        #expect(Case.text(testCase.verdict(200, lying, to: second.job)) == "answer valid")
    }

    /// The sandbox cannot speak for production: its rejection counts once production has answered.
    @Test(arguments: [21002, 21003, 21010]) func aRejectionByTheSandboxIsNotTheLastWord(status: Int) throws {
        let testCase = try Case()
        let first = try testCase.call(try Case.appReceipt("subscription", ["environment": "sandbox"]))
        let body = #"{"status":\#(status)}"#
        let second = try testCase.next(body, to: first.job)
        #expect(second.lane == "\(Self.lane)/verifyreceipt/production")
        let last = Case.text(testCase.verdict(200, body, to: second.job, failures: 0))
        #expect(
            last.hasPrefix(
                status == 21002 ? "retry verifyreceipt.21002" : "refuse verifyreceipt.\(status) invalid"
            )
        )
    }

    // MARK: what a phone chose

    private static let long = String(repeating: "x", count: 257)

    @Test(
        arguments: [
            (["receiptData": ""], "refuse receipt.missing invalid"),
            (["receiptData": " "], "refuse receipt.empty invalid"),
            (["receiptData": "!!!!"], "refuse receipt.base64 invalid"),
            (["transactionId": "1"], "refuse receipt.missing invalid"),
            (["receiptData": "x", "environment": "staging"], "refuse environment.unknown invalid"),
            (["receiptData": "x", "requestId": long], "refuse request_id.too_long invalid"),
            (["receiptData": "x", "bundleId": long], "refuse bundle_id.too_long invalid"),
            (["receiptData": "x", "productId": long], "refuse product_id.too_long invalid"),
            (["receiptData": "a.b.c"], "refuse jws.malformed invalid"),
        ] as [([String: String], String)]
    )
    func isNeverADeadLetter(members: [String: String], expected: String) throws {
        #expect(Case.text(try Case().plan(Case.record(members))) == expected)
    }

    /// A backend that forwards what it was sent forwards its type too.
    @Test(arguments: ["receiptData", "transactionId", "productId", "environment", "requestId"])
    func isNeverADeadLetterOfAnotherType(name: String) throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        for value in ["1", "{}", "[1]", "true", #""\ud800""#, deep] {
            var record = Case.record([:])
            let text = #"{"bundleId":"com.example.app","receiptData":"x","\#(name)":\#(value)}"#
            record.value = Array(text.utf8)
            let plan = Case.text(try Case().plan(record))
            #expect(plan.hasPrefix("refuse ") && plan.hasSuffix(".malformed invalid"), "\(plan)")
        }
        // A backend can mend the fields that it fills in itself.
        var record = Case.record([:])
        record.value = Array(#"{"bundleId":1,"receiptData":"x"}"#.utf8)
        #expect(Case.text(try Case().plan(record)) == "reject field.wrong_type invalid")
    }

    @Test(arguments: ["Sandbox", "SANDBOX", "sandbox"])
    func understandsApplesSpelling(environment: String) throws {
        let call = try Case(.serverAPI).call(Case.record(["transactionId": "1", "environment": environment]))
        #expect(call.lane == "\(Self.lane)/app_store_server_api/sandbox")
    }
}
