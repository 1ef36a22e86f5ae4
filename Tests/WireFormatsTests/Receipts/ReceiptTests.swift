import Foundation
import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct ReceiptTests {
    typealias Message = Flotilla_Receipt_V1_Receipt

    static func record(_ value: [UInt8]?) -> InboundRecord {
        InboundRecord(
            topic: "receipt",
            partition: 3,
            offset: 42,
            timestamp: 1_795_248_000_000,
            key: Array("k".utf8),
            value: value
        )
    }

    private static func text(_ json: String) -> String { self.text(Array(json.utf8)) }

    private static func text(_ value: [UInt8]) -> String {
        do throws(Receipt.Fault) {
            _ = try Receipt(decoding: Self.record(value))
            return "ok"
        } catch {
            switch error {
            case .record(let fault): return "\(fault.kind.rawValue) \(fault.reason.code)"
            case .refused(let reason, let answer):
                return "refused \(reason.code) \(answer?.verdict.rawValue ?? "-")"
            }
        }
    }

    @Test func readsEveryField() throws {
        let json = #"""
            {"bundleId":"com.example.app","receiptData":"MII=","transactionId":"2000000123456789",
             "productId":"pro","environment":"sandbox","requestId":"r-1","receivedAt":"2026-11-21T08:00:00.250Z"}
            """#
        let receipt = try Receipt(decoding: Self.record(Array(json.utf8)))
        #expect(receipt.text == Array("MII=".utf8))
        #expect(receipt.transactionID?.text == "2000000123456789")
        #expect(receipt.hint == .sandbox)
        #expect(receipt.receivedAt == 1_795_248_000_250)
        let claim = StoreClaim(
            bundleID: "com.example.app",
            transactionID: "2000000123456789",
            productID: "pro"
        )
        #expect(receipt.claim == claim)
        #expect(receipt.header.requestID == "r-1" && receipt.header.productID == "pro")
        let bytes: [UInt8] = try Message(jsonUTF8Bytes: Array(json.utf8)).serializedBytes()
        #expect(try Receipt(decoding: Self.record(bytes)) == receipt)
    }

    @Test(arguments: [
        (#"{"receiptData":"x"}"#, "ok"), (#"{"transactionId":"1"}"#, "ok"),
        ("{}", "refused receipt.missing invalid"),
        (#"{"receiptData":""}"#, "refused receipt.missing invalid"),
        (#"{"productId":"pro"}"#, "refused receipt.missing invalid"),
        (#"{"receiptData":"x","environment":"Sandbox"}"#, "ok"),
        (#"{"receiptData":"x","environment":"Xcode"}"#, "ok"),
        (#"{"receiptData":"x","environment":"staging"}"#, "refused environment.unknown invalid"),
        (#"{"receiptData":1}"#, "refused receipt_data.malformed invalid"),
        (#"{"receipt_data":1}"#, "refused receipt_data.malformed invalid"),
        (#"{"bundleId":1,"receiptData":"x"}"#, "invalid field.wrong_type"),
        ("[]", "undecodable value.not_protobuf"),
        (#"{"transactionId":"1/../2"}"#, "refused transaction_id.malformed invalid"),
        (#"{"receiptData":"x","transactionId":"abc"}"#, "refused transaction_id.malformed invalid"),
        (
            #"{"receiptData":"x","productId":"\#(String(repeating: "p", count: 257))"}"#,
            "refused product_id.too_long invalid"
        ),
        (
            #"{"receiptData":"x","requestId":"\#(String(repeating: "p", count: 257))"}"#,
            "refused request_id.too_long invalid"
        ),
        (#"{"receiptData":"x","receivedAt":"0001-01-01T00:00:00Z"}"#, "invalid received_at.malformed"),
    ])
    func tellsWhatIsWrong(json: String, expected: String) { #expect(Self.text(json) == expected) }

    /// Some serialisers do not check the texts that they write.
    @Test(arguments: [
        ("receiptData", 2, "receipt_data"), ("transaction_id", 3, "transaction_id"),
        ("productId", 4, "product_id"), ("environment", 5, "environment"), ("requestId", 6, "request_id"),
    ])
    func refusesATextOfAClientThatIsNotUTF8(name: String, number: Int, field: String) throws {
        let json = Array(#"{"bundleId":"com.example.app","receiptData":"x"}"#.utf8)
        let protobuf: [UInt8] = try Message(jsonUTF8Bytes: json).serializedBytes()
        let expected = "refused \(field).malformed invalid"
        #expect(Self.text(json.adding(illegible: name)) == expected)
        #expect(Self.text(protobuf.adding(illegible: number)) == expected)
        // A backend can mend the name of its app.
        #expect(
            Self.text(json.adding(illegible: name).adding(illegible: "bundleId"))
                == "undecodable value.not_json"
        )
        #expect(
            Self.text(protobuf.adding(illegible: number).adding(illegible: 1))
                == "undecodable value.not_protobuf"
        )
    }

    /// Other workers read a megabyte.
    @Test func takesReceiptsOfMegabytes() throws {
        let data = String(repeating: "A", count: 3 << 20)
        #expect(Self.text(#"{"receiptData":"\#(data)"}"#) == "ok")
        let more = String(repeating: "A", count: Receipt.recordBytesLimit)
        #expect(Self.text(#"{"receiptData":"\#(more)"}"#) == "refused value.too_large -")
    }

    // MARK: results

    private static func answer(limit: Int = 500, claimed: String = "") -> ReceiptAnswer {
        var header = ReceiptHeader(bundleID: "com.example.app", requestID: "r-1")
        header.transactionID = claimed
        var answer = ReceiptAnswer(.valid, header)
        answer.source = .verifyReceipt
        answer.form = .app
        answer.receiptDigest = [0, 255]
        answer.isFlagged = true
        (answer.httpStatus, answer.appleStatus) = (200, 0)
        var purchases = StorePurchases(bundleID: "com.example.app", environment: .sandbox)
        purchases.add(
            (1...5).map { number in
                ReceiptJudgementTests.transaction("\(number)", expiresAt: Int64(number) * 1_000) {
                    $0.purchasedAt = Int64(number)
                    $0.productType = .other("New")
                    $0.quantity = 0
                    $0.isTrial = false
                }
            }
        )
        answer.show(purchases, limit: limit, now: 3_000)
        return answer
    }

    @Test func writesTheSameInBothFormats() throws {
        let outcome = Outcome.ofActivation()
        for answer in [Self.answer(), Self.answer(limit: 1), nil] {
            let json = ReceiptResult.encode(outcome, answer, as: .json)
            let protobuf = ReceiptResult.encode(outcome, answer, as: .protobuf)
            let message = try Flotilla_Receipt_V1_ReceiptResult(serializedBytes: protobuf)
            #expect(try Flotilla_Receipt_V1_ReceiptResult(jsonUTF8Bytes: json) == message)
            #expect(
                try SchemaTests.schema("receipt.result").objections(to: json).filter {
                    !$0.contains("Sha256")
                } == []
            )
        }
        let message = ReceiptResult.message(outcome, Self.answer())
        #expect(message.verdict == "valid" && message.flagged && message.environment == "Sandbox")
        #expect(message.receiptSha256 == "00ff" && message.source == "verifyreceipt")
        #expect(message.appleStatus == 0 && message.hasAppleStatus)
        let first = try #require(message.transactions.first)
        #expect(first.transactionID == "5" && first.state == "active" && first.productType == "New")
        #expect(first.hasQuantity && first.hasIsTrial && !first.isTrial && !first.hasRevokedAtMs)
        #expect(message.transactions.map(\.state) == ["active", "active", "expired", "expired", "expired"])
    }

    /// Each field is in both, under the same name: one that only one of them has would be lost here.
    @Test func writesEveryFieldOfAPurchase() throws {
        let json = #"""
            {"transactionId":"1","originalTransactionId":"2","webOrderLineItemId":"3","appTransactionId":"4",
             "bundleId":"com.example.app","productId":"pro","subscriptionGroupIdentifier":"5",
             "type":"Consumable","quantity":6,"environment":"Sandbox","purchaseDate":7,
             "originalPurchaseDate":8,"expiresDate":9,"revocationDate":10,"revocationReason":1,
             "isUpgraded":true,"offerType":2,"offerIdentifier":"offer","inAppOwnershipType":"PURCHASED",
             "appAccountToken":"token","storefront":"CHN","currency":"CNY","price":11}
            """#
        var transaction = StoreTransaction(try #require(JSONObject(Array(json.utf8))))
        (transaction.isTrial, transaction.isInIntroductoryOffer) = (true, true)
        let renewal = StoreRenewal(
            try #require(
                JSONObject(
                    Array(
                        #"{"originalTransactionId":"2","autoRenewStatus":1,"gracePeriodExpiresDate":12}"#
                            .utf8
                    )
                )
            )
        )
        var purchases = StorePurchases(transaction)
        purchases.renewals["2"] = renewal
        var answer = ReceiptAnswer(.refunded, ReceiptHeader(bundleID: "com.example.app"))
        answer.show(purchases, limit: 1, now: 1)
        let text = ReceiptResult.encode(Outcome.ofActivation(), answer, as: .json)
        let read = try Flotilla_Receipt_V1_ReceiptResult(jsonUTF8Bytes: text)
        #expect(read == ReceiptResult.message(Outcome.ofActivation(), answer))
        let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
        let shown = try #require((object?["transactions"] as? [[String: Any]])?.first)
        #expect(shown.count == 27)
    }

    @Test func showsTheNewestAndTheClaimed() {
        #expect(Self.answer(limit: 2).purchases.map(\.transaction.transactionID) == ["5", "4"])
        #expect(Self.answer(limit: 2).leftOut == 3)
        let claimed = Self.answer(limit: 2, claimed: "1")
        #expect(claimed.purchases.map(\.transaction.transactionID) == ["5", "1"])
        #expect(claimed.leftOut == 3)
        #expect(Self.answer(limit: 2, claimed: "9").purchases.count == 2)
        #expect(Self.answer(limit: 5).leftOut == 0)
    }
}
