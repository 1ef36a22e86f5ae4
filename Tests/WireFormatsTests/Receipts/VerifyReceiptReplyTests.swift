import Foundation
import Testing

@testable import WireFormats

@Suite struct VerifyReceiptReplyTests {
    static func reply(
        _ body: String,
        status: Int = 200,
        from host: StoreHost = .production,
        visited: Set<StoreHost> = []
    ) -> VerifyReceiptReply {
        VerifyReceiptReply(status: status, body: Array(body.utf8), from: host, visited: visited)
    }

    @Test func readsAllVectors() {
        #expect(StoreDecisionRow.verifyReceipt.count == 34)
        #expect(StoreDecisionRow.verifyReceipt.filter { $0.http_status != nil }.count == 32)
    }

    /// Those without a response are the handler's to decide.
    @Test(arguments: StoreDecisionRow.verifyReceipt.filter { $0.http_status != nil })
    func decidesAsTheVectorsDo(row: StoreDecisionRow) throws {
        let reply = Self.reply(
            row.body ?? "",
            status: try #require(row.http_status),
            from: try #require(StoreHost(rawValue: row.env)),
            visited: Set(try (row.visited ?? []).map { try #require(StoreHost(rawValue: $0)) })
        )
        #expect(reply.decision.rawValue == row.action)
        #expect((reply.purchases != nil) == (reply.decision == .accept))
    }

    @Test(
        arguments: [
            (21001, .retryLimited), (21004, .configuration), (21005, .retry), (21099, .retryLimited),
            (21100, .retry), (21199, .retry), (21200, .retryLimited), (21007, .trySandbox),
            // Apple's production never sends its own receipts to itself.
            (21008, .retryLimited),
        ] as [(Int, StoreDecision)]
    )
    func knowsTheOtherStatuses(status: Int, decision: StoreDecision) {
        #expect(Self.reply(#"{"status":\#(status)}"#).decision == decision)
        #expect(Self.reply(#"{"status":"\#(status)"}"#).decision == decision)
    }

    @Test func asksEachEnvironmentOnce() {
        #expect(Self.reply(#"{"status":21007}"#, visited: [.sandbox]).decision == .retryLimited)
        let sandbox = #"{"status":21008}"#
        #expect(Self.reply(sandbox, from: .sandbox).decision == .tryProduction)
        #expect(Self.reply(sandbox, from: .sandbox, visited: [.production]).decision == .retryLimited)
        // During incidents Apple's sandbox calls its own receipts sandbox receipts.
        #expect(
            Self.reply(#"{"status":21007}"#, from: .sandbox, visited: [.production]).decision == .retryLimited
        )
    }

    @Test(
        arguments: [
            (#"{"status":21100,"is-retryable":true}"#, .retry),
            (#"{"status":21100,"is-retryable":"false"}"#, .reject),
            (#"{"status":21100,"is_retryable":"0"}"#, .reject),
            (#"{"status":21100,"is_retryable":1}"#, .retry),
            (#"{"status":21100,"is_retryable":null}"#, .retry),
            (#"{"status":21005,"is_retryable":false}"#, .retry),
            ("", .retry), ("null", .retryLimited), ("[]", .retryLimited), (#"{"status":"x"}"#, .retryLimited),
            (#"{"status":true}"#, .retryLimited), (#"{"status":0,"receipt":"x"}"#, .retryLimited),
            (#"{"status":0,"receipt":null}"#, .retryLimited),
        ] as [(String, StoreDecision)]
    )
    func readsFlagsAndOddBodies(body: String, decision: StoreDecision) {
        #expect(Self.reply(body).decision == decision)
    }

    @Test(
        arguments: [
            (201, .retryLimited), (302, .retryLimited), (404, .retryLimited), (407, .retryLimited),
            (408, .retry), (429, .retry), (500, .retry), (502, .retry), (599, .retry),
        ] as [(Int, StoreDecision)]
    )
    func believesNothingBut200(status: Int, decision: StoreDecision) {
        let body = #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]}}"#
        let reply = Self.reply(body, status: status)
        #expect(reply.decision == decision)
        #expect(reply.purchases == nil)
    }

    /// iOS 6: one transaction, an object beside it, milliseconds under a plain name, no environment.
    @Test func readsTheOldShape() throws {
        let body = #"""
            {"status":0,"auto_renew_status":1,"auto_renew_product_id":"pro",
             "receipt":{"bid":"com.example.app","product_id":"pro","transaction_id":1000000000000000123,
               "original_transaction_id":"90071992547409931","quantity":"1",
               "purchase_date":"2013-01-01 00:00:00 Etc/GMT","expires_date":"1356998400000",
               "expires_date_formatted":"2013-01-01 00:00:00 Etc/GMT","is_trial_period":"false"},
             "latest_receipt_info":{"product_id":"pro","transaction_id":"2","original_transaction_id":
               "90071992547409931","expires_date":1359676800000,"is_trial_period":true}}
            """#
        let purchases = try #require(Self.reply(body, from: .sandbox).purchases)
        #expect(purchases.bundleID == "com.example.app")
        #expect(purchases.environment == .sandbox)
        #expect(purchases.transactions.map(\.transactionID) == ["1000000000000000123", "2"])
        let first = try #require(purchases.transactions.first)
        #expect(first.originalTransactionID == "90071992547409931")
        #expect(first.purchasedAt == 1_356_998_400_000)
        #expect(first.expiresAt == 1_356_998_400_000)
        #expect(first.isTrial == false && purchases.transactions[1].isTrial == true)
        #expect(first.bundleID == "com.example.app" && first.environment == .sandbox)
        #expect(first.productType == .autoRenewableSubscription)
        #expect(purchases.renewals["90071992547409931"]?.willRenew == true)
    }

    /// iOS 7: lists, a renewal that is in the second only, and one that both have.
    @Test func readsTheModernShape() throws {
        let body = #"""
            {"status":0,"environment":"Sandbox",
             "receipt":{"receipt_type":"ProductionSandbox","bundle_id":"com.example.app","download_id":
               18446744073709551615,"in_app":[
               {"transaction_id":"1","original_transaction_id":"1","product_id":"pro","quantity":1,
                "cancellation_date_ms":"1595439548000","cancellation_reason":"1"},
               {"transaction_id":"3","product_id":"coins","quantity":"3"}, "odd", {"product_id":"nameless"}]},
             "latest_receipt_info":[
               {"transaction_id":"1","original_transaction_id":"1","product_id":"pro",
                "expires_date_ms":"1595439548000","is_upgraded":"true","in_app_ownership_type":"PURCHASED"},
               {"transaction_id":2,"original_transaction_id":1,"product_id":"pro",
                "expires_date_ms":1598031548000,"promotional_offer_id":"spring"}],
             "pending_renewal_info":[{"original_transaction_id":"1","auto_renew_status":"1",
               "is_in_billing_retry_period":"1","grace_period_expires_date_ms":"1598131548000"}]}
            """#
        let purchases = try #require(Self.reply(body).purchases)
        #expect(purchases.environment == .sandbox)
        #expect(purchases.transactions.map(\.transactionID) == ["1", "3", "2"])
        let first = purchases.transactions[0]
        #expect(first.expiresAt == 1_595_439_548_000 && first.isUpgraded == true)
        // Taken back stays taken back.
        #expect(first.revokedAt == 1_595_439_548_000)
        #expect(purchases.transactions[1].quantity == 3)
        #expect(purchases.transactions[1].productType == nil)
        #expect(purchases.transactions[2].offerID == "spring")
        #expect(purchases.renewals["1"]?.gracePeriodExpiresAt == 1_598_131_548_000)
    }

    @Test func readsWhatExpiredFromAnAnswerThatSaysSo() throws {
        let body = #"""
            {"status":21006,"receipt":{"bid":"com.example.app","transaction_id":"1"},
             "latest_expired_receipt_info":{"transaction_id":"2","expires_date":"1356998400000"}}
            """#
        let reply = Self.reply(body)
        #expect(reply.decision == .acceptExpired)
        #expect(reply.purchases?.transactions.map(\.expiresAt) == [nil, 1_356_998_400_000])
    }

    @Test func readsAnAnswerOfMegabytes() throws {
        let renewal = #"{"transaction_id":"%","product_id":"pro","expires_date_ms":"1595439548000"}"#
        let renewals = (1...20_100).map { renewal.replacing("%", with: String($0)) }
        let body =
            #"{"status":0,"receipt":{"bundle_id":"a"},"latest_receipt_info":["#
            + renewals.joined(separator: ",") + "]}"
        let purchases = try #require(Self.reply(body).purchases)
        #expect(purchases.transactions.count == StorePurchases.transactionsLimit)
        #expect(purchases.isIncomplete)
    }

    /// No cut of an answer is an approval.
    @Test func approvesOfNoCutAnswer() {
        let body = Array(#"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]}}"#.utf8)
        for length in body.indices {
            let reply = VerifyReceiptReply(status: 200, body: Array(body.prefix(length)), from: .production)
            #expect(reply.decision == .retry)
        }
    }

    @Test func writesARequest() throws {
        let request = VerifyReceiptRequest(
            receiptData: "MII+/w==",
            password: Array("s\"ecret".utf8),
            excludesOldTransactions: true
        )
        let object = try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary
        let expected: NSDictionary = [
            "receipt-data": "MII+/w==", "password": "s\"ecret", "exclude-old-transactions": true,
        ]
        #expect(object == expected)
        let bare = VerifyReceiptRequest(receiptData: "AA==", password: nil, excludesOldTransactions: false)
        #expect(String(decoding: bare.body, as: UTF8.self) == #"{"receipt-data":"AA=="}"#)
    }
}
