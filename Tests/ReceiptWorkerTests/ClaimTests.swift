import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// Whose purchase is claimed, and which of several decides, on the route through the App Store Server API.
@Suite struct ClaimTests {
    private static let missing = "refuse transaction.not_in_receipt invalid transaction.not_in_receipt"
    private static let history = "/inApps/v2/history"

    private static func made(_ change: (inout ReceiptSettings) -> Void = { _ in }) throws -> Case {
        let anchors = try StoreVoice.anchors
        return try Case(.serverAPI) {
            $0.anchors.signedData = anchors
            $0.apps[0].asksForSubscriptions = false
            change(&$0)
        }
    }

    /// A job that has a receipt with these purchases.
    private static func call(
        _ testCase: Case,
        _ receipt: [StoreVoice.Payload],
        _ claim: [String: String] = [:]
    )
        throws -> Call<ReceiptJob>
    {
        let first = try #require(receipt.first)
        let signed = try StoreVoice.signed(first)
        let call = try testCase.call(Case.record(["receiptData": signed].merging(claim) { $1 }))
        var job = call.job
        for payload in receipt.dropFirst() {
            guard
                case .readable(let other, _, _) = testCase.handler.local.finding(
                    on: .signed(Array(try StoreVoice.signed(payload).utf8)),
                    now: Case.now
                )
            else { continue }
            job.local?.add(other.transactions)
        }
        var whole = call
        whole.job = job
        return whole
    }

    /// Anybody can write a receipt, and the client names the product.
    @Test(.timeLimit(.minutes(1))) func productsInAReceiptMayHaveAnyLength() {
        var (one, other) = (StoreTransaction(), StoreTransaction())
        (one.transactionID, one.productID) = ("1", "pro")
        (other.transactionID, other.productID) = (
            "2", "p" + String(repeating: "\u{301}\u{323}", count: 200_000)
        )
        var purchases = StorePurchases()
        purchases.add([other, one])
        #expect(purchases.newestID(of: "pro")?.text == "1")
    }

    // MARK: whose it is

    /// A receipt of one user and the transaction of another are not a purchase.
    @Test func aClaimOutsideTheReceiptIsNotTheSenders() throws {
        let testCase = try Self.made()
        let mine = StoreVoice.purchase("1")
        let first = try Self.call(testCase, [mine], ["transactionId": "2"])
        #expect(first.request.url.hasSuffix("/transactions/2"))
        let second = try testCase.next(try StoreVoice.transaction(StoreVoice.purchase("2")), to: first.job)
        #expect(second.request.url.hasSuffix("\(Self.history)/1?sort=DESCENDING"))
        let verdict = testCase.verdict(200, try StoreVoice.page([mine]), to: second.job)
        #expect(Case.text(verdict) == Self.missing)
        guard case .refuse(_, let answer?) = verdict else { return }
        // The answer does not show a purchase of somebody else.
        #expect(answer.purchases.map(\.transaction.transactionID) == ["1"])
        let known = try StoreVoice.page([StoreVoice.purchase("2"), mine])
        #expect(Case.text(testCase.verdict(200, known, to: second.job)) == "answer valid")
        // A page that is not the last is no reason to say no.
        let third = try testCase.next(try StoreVoice.page([mine], next: "r"), to: second.job)
        #expect(third.request.url.hasSuffix("\(Self.history)/1?sort=DESCENDING&revision=r"))
        #expect(Case.text(testCase.verdict(200, known, to: third.job)) == "answer valid")
        let gone = testCase.verdict(404, #"{"errorCode":4040001}"#, to: third.job)
        #expect(Case.text(gone).hasPrefix("refuse purchases.incomplete unavailable"))
    }

    @Test func aRenewalOfTheReceiptsSubscriptionIsTheSenders() throws {
        let testCase = try Self.made()
        let old = StoreVoice.purchase("1", ["expiresDate": .number(Case.now - 1)])
        let new = StoreVoice.purchase(
            "2",
            ["originalTransactionId": "1", "expiresDate": .number(Case.now + 1)]
        )
        let first = try Self.call(testCase, [old], ["transactionId": "2"])
        #expect(
            Case.text(testCase.verdict(200, try StoreVoice.transaction(new), to: first.job)) == "answer valid"
        )
    }

    @Test func readsNoHistoryWithoutAnEnd() throws {
        let testCase = try Self.made()
        let mine = StoreVoice.purchase("1")
        var job = try Self.call(testCase, [mine], ["transactionId": "2"]).job
        job = try testCase.next(try StoreVoice.transaction(StoreVoice.purchase("2")), to: job).job
        for page in 1..<10 {
            job = try testCase.next(try StoreVoice.page([mine], next: "\(page)"), to: job).job
        }
        let last = testCase.verdict(200, try StoreVoice.page([mine], next: "10"), to: job)
        #expect(Case.text(last).hasPrefix("refuse purchases.incomplete unavailable"))
    }

    // MARK: which of several

    @Test func asksAboutTheNewestOfTheClaimedProduct() throws {
        var purchases = StorePurchases()
        func add(_ id: String, _ product: String, _ time: Int64, isRevoked: Bool = false) {
            var transaction = StoreTransaction()
            transaction.transactionID = id
            transaction.productID = product
            transaction.purchasedAt = time
            transaction.revokedAt = isRevoked ? 1 : nil
            purchases.add([transaction])
        }
        add("1", "coins", 1)
        add("2", "pro", 2)
        add("3", "pro", 4, isRevoked: true)
        add("x", "pro", 5)
        add("4", "coins", 3)
        #expect(purchases.newestID(of: "pro")?.text == "2")
        #expect(purchases.newestID(of: "coins")?.text == "4")
        #expect(purchases.newestID(of: "gold")?.text == "4")
        #expect(purchases.newestID(of: nil)?.text == "4")
    }

    /// One that was refunded does not speak for the others.
    @Test func looksFurtherThanOneRefund() throws {
        let testCase = try Self.made()
        let first = try Self.call(testCase, [StoreVoice.purchase("1"), StoreVoice.purchase("2")])
        let refunded = StoreVoice.purchase("1", ["revocationDate": .number(Case.now - 1)])
        let second = try testCase.next(try StoreVoice.transaction(refunded), to: first.job)
        #expect(second.request.url.hasSuffix("\(Self.history)/1?sort=DESCENDING"))
        let both = try StoreVoice.page([refunded, StoreVoice.purchase("2")])
        #expect(Case.text(testCase.verdict(200, both, to: second.job)) == "answer valid")
        let one = testCase.verdict(200, try StoreVoice.page([refunded]), to: second.job)
        #expect(Case.text(one) == "answer refunded transaction.revoked")
    }

    @Test func findsTheClaimedProductInTheHistory() throws {
        let testCase = try Self.made()
        let coins = StoreVoice.purchase("1", ["productId": "coins"])
        let first = try Self.call(testCase, [coins], ["productId": "pro"])
        let second = try testCase.next(try StoreVoice.transaction(coins), to: first.job)
        let found = try StoreVoice.page([StoreVoice.purchase("2"), coins])
        #expect(Case.text(testCase.verdict(200, found, to: second.job)) == "answer valid")
        let all = testCase.verdict(200, try StoreVoice.page([coins]), to: second.job)
        #expect(Case.text(all) == "refuse product.not_in_receipt invalid product.not_in_receipt")
        // Cut short, it is no proof.
        let cut = testCase.verdict(404, #"{"errorCode":4040010}"#, to: second.job)
        #expect(
            Case.text(cut) == "refuse purchases.incomplete unavailable product.not_in_receipt"
        )
    }

    // MARK: what Apple says of it

    @Test func takesNoWordForATime() throws {
        let testCase = try Self.made()
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        func text(_ more: StoreVoice.Payload) throws -> String {
            Case.text(
                testCase.verdict(200, try StoreVoice.transaction(StoreVoice.purchase("1", more)), to: job)
            )
        }
        #expect(try text([:]) == "answer valid")
        #expect(try text(["revocationDate": "yesterday"]) == "answer refunded transaction.revoked")
        #expect(try text(["expiresDate": "tomorrow"]) == "retry transaction.unreadable_expiry record")
        #expect(try text(["expiresDate": "2020-01-01T00:00:00Z"]) == "answer expired transaction.expired")
        #expect(try text(["transactionId": ""]) == "retry transaction.without_id record")
        let local = try Case(.local) { $0.anchors.signedData = try? StoreVoice.anchors }
        let odd = try StoreVoice.signed(StoreVoice.purchase("1", ["expiresDate": "tomorrow"]))
        #expect(
            Case.text(local.plan(Case.record(["receiptData": odd])))
                == "refuse transaction.unreadable_expiry unavailable"
        )
        let nowhere = try StoreVoice.signed(StoreVoice.purchase("1", ["environment": ""]))
        #expect(Case.text(local.plan(Case.record(["receiptData": nowhere]))) == "answer valid flagged")
    }

    @Test(
        arguments: [
            (1, -1, "answer expired transaction.expired"),
            (3, -1, "answer expired transaction.billing_retry"),
            (4, -1, "answer valid"), (5, 1, "answer refunded transaction.revoked"), (1, 1, "answer valid"),
            (2, 1, "answer expired transaction.expired"),
        ] as [(Int, Int64, String)]
    )
    func readsTheStateOfASubscription(status: Int, left: Int64, expected: String) throws {
        let testCase = try Self.made { $0.apps[0].asksForSubscriptions = true }
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        let payload = StoreVoice.purchase("1", ["expiresDate": .number(Case.now + left)])
        let second = try testCase.next(try StoreVoice.transaction(payload), to: job)
        let verdict = testCase.verdict(200, try StoreVoice.statuses(status, payload), to: second.job)
        #expect(Case.text(verdict) == expected)
    }

    /// Last month's renewal, of a subscription that goes on.
    @Test func aRenewedSubscriptionIsValid() throws {
        let testCase = try Self.made { $0.apps[0].asksForSubscriptions = true }
        let old = StoreVoice.purchase("1", ["expiresDate": .number(Case.now - 1)])
        let new = StoreVoice.purchase(
            "2",
            ["originalTransactionId": "1", "expiresDate": .number(Case.now + 1)]
        )
        let job = try testCase.call(Case.record(["transactionId": "1"])).job
        let second = try testCase.next(try StoreVoice.transaction(old), to: job)
        let verdict = testCase.verdict(200, try StoreVoice.statuses(1, new), to: second.job)
        guard case .answer(let answer) = verdict else {
            Issue.record("\(Case.text(verdict))")
            return
        }
        #expect(answer.verdict == .valid)
        #expect(answer.purchases.first { $0.transaction.transactionID == "1" }?.state == .expired)
    }

    // MARK: who refuses a token

    @Test func aNewTokenIsTriedOnceInBothEnvironments() throws {
        let testCase = try Self.made()
        let first = try testCase.call(Case.record(["transactionId": "1"]))
        let second = try testCase.next("", to: first.job, status: 401)
        let third = try testCase.next("", to: second.job, status: 401)
        #expect(third.isSecondTry && third.lane == second.lane)
        #expect(third.request.headers != second.request.headers)
        let held = testCase.verdict(401, to: third.job)
        #expect(Case.text(held) == "hold appstore.unauthorized lane")
    }

    /// The sandbox cannot speak for production, which says nothing of an app that is not sold yet.
    @Test func theSandboxDoesNotSpeakForProduction() throws {
        let testCase = try Self.made()
        let unknown = #"{"errorCode":4040010}"#
        let first = try testCase.call(Case.record(["transactionId": "1"]))
        let second = try testCase.next("", to: first.job, status: 401)
        #expect(
            Case.text(testCase.verdict(404, unknown, to: second.job, failures: 0))
                == "retry appstore.transaction_not_found record after 15"
        )
        let last = testCase.verdict(404, unknown, to: second.job, failures: 6)
        #expect(Case.text(last) == "refuse appstore.not_said_by_production unavailable")
        let account = testCase.verdict(404, #"{"errorCode":4040001}"#, to: second.job)
        #expect(Case.text(account) == "refuse appstore.not_said_by_production unavailable")
        // The sandbox asked first has taken the token: production's refusal is no fault of the key.
        let there = try testCase.call(Case.record(["transactionId": "1", "environment": "sandbox"]))
        let back = try testCase.next(unknown, to: there.job, status: 404)
        #expect(
            Case.text(testCase.verdict(401, to: back.job, failures: 0))
                == "retry appstore.unauthorized record after 15"
        )
        #expect(
            Case.text(testCase.verdict(401, to: back.job, failures: 6))
                == "refuse appstore.not_said_by_production unavailable"
        )
    }
}
