import Foundation
import TestMaterial
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
        #expect(StoreDecisionVector.verifyReceipt.count == 34)
        #expect(StoreDecisionVector.verifyReceipt.filter { $0.http_status != nil }.count == 32)
    }

    /// The handler decides about the rows without a response.
    @Test(arguments: StoreDecisionVector.verifyReceipt.filter { $0.http_status != nil })
    func decidesAsTheVectorsDo(row: StoreDecisionVector) throws {
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
            (#"{"status":true}"#, .retryLimited), (#"{"status":0.9,"receipt":{}}"#, .retryLimited),
            (#"{"status":"0.0","receipt":{}}"#, .retryLimited),
            (#"{"status":"+0","receipt":{}}"#, .retryLimited),
            (#"{"status":0e0,"receipt":{}}"#, .retryLimited), (#"{"status":21003.5}"#, .retryLimited),
            (#"{"status":0,"receipt":"x"}"#, .retryLimited),
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

    private static func purchase(_ members: String) -> String {
        #"""
        {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":[
          {"transaction_id":"1","product_id":"pro"\#(members)}]}}
        """#
    }

    /// 2020-01-01T00:00:00Z in all the ways that have been seen.
    @Test(
        arguments: [
            #""_ms":"1577836800000""#, #""_ms":1577836800000"#, #""_ms":" 1577836800000 ""#,
            #""":"1577836800000""#, #""":"2020-01-01T00:00:00Z""#, #""":"2020-01-01 00:00:00 Etc/GMT""#,
            #""":"2020-01-01 00:00:00 +0000""#, #""":"2020-01-01 01:00:00 +01:00""#,
            #""":"2019-12-31 16:00:00 America/Los_Angeles""#,
            #""_pst":"2019-12-31 16:00:00 America/Los_Angeles""#, #""_ms":"","":"2020-01-01T00:00:00Z""#,
            #""_ms":"soon","":"2020-01-01T00:00:00.000Z""#,
        ]
    )
    func readsTimesHoweverTheyAreSpelt(member: String) throws {
        for name in ["expires_date", "cancellation_date"] {
            let members = ",\"\(name)\(member.dropFirst().replacing(",\"", with: ",\"\(name)"))"
            let transaction = try #require(Self.reply(Self.purchase(members)).purchases?.transactions.first)
            let time = name == "expires_date" ? transaction.expiresAt : transaction.revokedAt
            #expect(time == 1_577_836_800_000, "\(members)")
            #expect(transaction.isRevoked == (name == "cancellation_date"))
        }
        let formatted = Self.purchase(#","expires_date_formatted":"2020-01-01 00:00:00 Etc/GMT""#)
        #expect(Self.reply(formatted).purchases?.transactions.first?.expiresAt == 1_577_836_800_000)
    }

    @Test(
        arguments: [
            // Summer, winter, and the hours of the change.
            ("2020-07-01 00:00:00", "2020-07-01T07:00:00Z"), ("2020-01-01 00:00:00", "2020-01-01T08:00:00Z"),
            ("2020-03-08 01:59:59", "2020-03-08T09:59:59Z"), ("2020-03-08 03:00:00", "2020-03-08T10:00:00Z"),
            ("2020-11-01 00:59:59", "2020-11-01T07:59:59Z"), ("2020-11-01 01:30:00", "2020-11-01T08:30:00Z"),
            ("2020-11-01 02:00:00", "2020-11-01T10:00:00Z"), ("2026-03-08 03:00:00", "2026-03-08T10:00:00Z"),
        ]
    )
    func knowsTheClockInLosAngeles(local: String, expected: String) {
        #expect(
            ReceiptDate.milliseconds(spelt: "\(local) America/Los_Angeles") == RFC3339.milliseconds(expected)
        )
        #expect(ReceiptDate.milliseconds(spelt: "\(local) America/New_York") == nil)
        #expect(ReceiptDate.milliseconds(spelt: local) == nil)
    }

    /// A time that cannot be read stands neither for a purchase that is valid nor for one that goes on for
    /// ever.
    @Test(arguments: [#""soon""#, "true", "{}", #""2020-01-01 00:00:00""#, "[1]", "1e99"])
    func believesTheWorstOfTimesThatCannotBeRead(value: String) throws {
        for name in ["cancellation_date", "cancellation_date_ms", "cancellation_date_pst"] {
            let reply = Self.reply(Self.purchase(#","\#(name)":\#(value)"#))
            let transaction = try #require(reply.purchases?.transactions.first)
            #expect(transaction.isRevoked && transaction.revokedAt == nil)
        }
        for name in ["expires_date", "expires_date_ms", "expires_date_formatted"] {
            let reply = Self.reply(Self.purchase(#","\#(name)":\#(value)"#))
            #expect(reply.decision == .retryLimited && reply.purchases == nil)
            #expect(reply.reason.code == "verifyreceipt.unreadable_expiry")
        }
        let whole = #"{"status":0,"receipt":{"bundle_id":"a","in_app":[],"expiration_date":\#(value)}}"#
        #expect(Self.reply(whole).decision == .retryLimited)
    }

    @Test func readsWhenTheWholeEnds() {
        let body = #"{"status":0,"receipt":{"bundle_id":"a","in_app":[],"expiration_date_ms":"5"}}"#
        #expect(Self.reply(body).purchases?.expiresAt == 5)
    }

    @Test(
        arguments: [
            (#""environment":"Sandbox","#, "Production", .sandbox),
            (#""environment":"","#, "ProductionSandbox", .sandbox),
            ("", "ProductionSandbox", .sandbox), ("", "ProductionVPP", .production),
            (#""environment":null,"#, "", .production), ("", "Xcode", .xcode),
        ] as [(String, String, StoreEnvironment)]
    )
    func knowsTheEnvironment(member: String, type: String, expected: StoreEnvironment) {
        let body = #"""
            {"status":0,\#(member)"receipt":{"bundle_id":"a","receipt_type":"\#(type)","in_app":[]}}
            """#
        #expect(Self.reply(body).purchases?.environment == expected)
    }

    /// An approval of purchases that nobody can be granted is none.
    @Test(
        arguments: [
            #""in_app":[{"product_id":"pro"}]"#, #""in_app":["odd"]"#, #""in_app":[{"transaction_id":""}]"#,
            #""product_id":"pro","quantity":"1""#, #""in_app":"x""#,
        ]
    )
    func grantsNothingWithoutAnID(members: String) {
        let reply = Self.reply(#"{"status":0,"receipt":{"bundle_id":"a",\#(members)}}"#)
        #expect(reply.decision == .retryLimited && reply.reason.code == "verifyreceipt.without_id")
    }

    /// An answer about what has ended may come without the receipt.
    @Test(arguments: ["latest_expired_receipt_info", "latest_receipt_info"])
    func readsWhatEndedWithoutAReceipt(name: String) throws {
        let info = #"{"transaction_id":"2","bid":"com.example.app","expires_date":"1356998400000"}"#
        for value in [info, "[\(info)]"] {
            let reply = Self.reply(#"{"status":21006,"\#(name)":\#(value)}"#)
            #expect(reply.decision == .acceptExpired)
            let purchases = try #require(reply.purchases)
            #expect(purchases.bundleID == "com.example.app")
            #expect(purchases.transactions.map(\.expiresAt) == [1_356_998_400_000])
        }
        // Not an approval.
        #expect(Self.reply(#"{"status":0,"\#(name)":\#(info)}"#).decision == .retryLimited)
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
