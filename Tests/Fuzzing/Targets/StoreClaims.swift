import Cryptography
import SwiftProtobuf
import WireMessages

@testable import WireFormats

/// The claims that hold of every proof of purchase, whoever reads it.
enum StoreClaims {
    /// Some day after all vectors were signed, in milliseconds since 1970.
    static let now: Int64 = 1_760_000_000_000

    static func anchors(of certificates: [[UInt8]?]) throws -> TrustAnchors {
        let distinct = Set(certificates.compactMap { $0 })
        return TrustAnchors(
            try distinct.map { try Objection.unless(Certificate(der: $0), "a vector's root can be read") }
        )
    }

    static func check(_ fault: AppReceiptFault) throws {
        try self.check(fault.reason, of: self.receiptCodes)
    }

    static func check(_ fault: SignedDataFault) throws {
        try self.check(fault.reason, of: self.signedDataCodes)
    }

    /// A code is never chosen from outside, and a sentence quotes nothing.
    static func check(_ reason: Reason, of codes: Set<String>) throws {
        try claim("\(reason.code) is a code of ours", codes.contains(reason.code))
        try claim(
            "a reason is a short sentence of ours",
            reason.message.utf8.count <= 192 && reason.message.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        )
    }

    private static let receiptCodes: Set<String> = [
        "receipt.too_large", "receipt.container", "receipt.attributes", "receipt.too_many_purchases",
        "receipt.creation_date", "receipt.markers", "receipt.signer", "receipt.outside_validity",
        "receipt.untrusted", "receipt.chain", "receipt.signature", "receipt.property_list",
        "receipt.purchase_info", "receipt.signature_encoding", "receipt.unsigned",
        "receipt.signature_version", "receipt.no_anchor", "receipt.signature_layout", "receipt.empty",
        "receipt.markup", "receipt.jws", "receipt.json", "receipt.other_store", "receipt.base64",
        "receipt.truncated", "receipt.trailing_bytes", "receipt.unknown_form",
    ]

    private static let signedDataCodes: Set<String> = [
        "jws.too_large", "jws.malformed", "jws.algorithm", "jws.critical", "jws.no_certificates",
        "jws.chain_length", "jws.certificate", "jws.outside_validity", "jws.untrusted", "jws.chain",
        "jws.markers", "jws.key", "jws.signature", "jws.bundle_id", "jws.environment",
    ]

    /// Purchases as an answer tells them: judged, shown, and written in both formats.
    static func check(_ purchases: StorePurchases) throws {
        let ids = purchases.transactions.map(\.transactionID)
        try claim("each transaction is there once", Set(ids).count == ids.count)
        try claim("each has an id", ids.allSatisfy { $0.map { !$0.isEmpty } ?? false })
        try claim("there are not too many", ids.count <= StorePurchases.transactionsLimit)

        var header = ReceiptHeader(bundleID: purchases.bundleID ?? "com.example.app")
        header.transactionID = ids.last.flatMap { $0 } ?? ""
        let claimed = StoreClaim(bundleID: header.bundleID, transactionID: ids.last.flatMap { $0 })
        let judgement = ReceiptJudgement(of: purchases, claimed: claimed, by: StorePolicy(), now: self.now)
        var answer = ReceiptAnswer(judgement.verdict, header)
        answer.check = judgement.check?.code
        answer.show(purchases, limit: 3, now: self.now)
        try claim("no more is shown than was asked for", answer.purchases.count <= 3)
        try claim(
            "what was claimed is shown",
            ids.isEmpty || answer.purchases.contains { $0.transaction.transactionID == header.transactionID }
        )
        try claim(
            "what is not shown is counted",
            answer.purchases.count + answer.leftOut == ids.count + (purchases.isIncomplete ? 1 : 0)
        )
        try self.check(answer)
    }

    private static func check(_ answer: ReceiptAnswer) throws {
        let outcome = Outcome(
            topic: "receipt",
            partition: 0,
            offset: 7,
            fate: .succeeded,
            reason: nil,
            attempts: 1,
            deadLetterID: nil,
            receivedAt: self.now,
            settledAt: self.now,
            worker: "receipt-worker",
            workerVersion: "0.1.0"
        )
        let json = ReceiptResult.encode(outcome, answer, as: .json)
        let protobuf = ReceiptResult.encode(outcome, answer, as: .protobuf)
        try claim("a result is JSON", JSONObject(json) != nil)
        let one = try Flotilla_Receipt_V1_ReceiptResult(jsonUTF8Bytes: json)
        let other = try Flotilla_Receipt_V1_ReceiptResult(serializedBytes: protobuf)
        try claim("a result says the same in both formats", one == other)
    }
}
