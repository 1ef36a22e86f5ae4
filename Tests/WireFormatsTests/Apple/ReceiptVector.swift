import Cryptography
import Testing

@testable import WireFormats

/// A row of `Vectors/pkcs7_receipt.jsonl`.
struct ReceiptVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Fields: Decodable, Sendable {
        var receipt_type: String
        var bundle_id: String
        var application_version: String
        var original_application_version: String
        var receipt_creation_date: String
        var original_purchase_date: String
    }

    struct Purchase: Decodable, Sendable {
        var quantity: Int64
        var product_id: String
        var transaction_id: String
        var purchase_date: String
        var original_transaction_id: String
        var original_purchase_date: String
        var product_type: Int64
        var expires_date: String
        var web_order_line_item_id: Int64
        var is_trial_period: Int64
        var is_in_intro_offer_period: Int64
    }

    var name: String
    var receipt_b64: String
    var trusted_root_der_b64: String
    var expect: String
    var fields: Fields?
    var in_app: [Purchase]?
    var device_guid_hex: String?
    var first_transaction_id: String?

    var testDescription: String { self.name }

    static let all = VectorFile.rows(of: "pkcs7_receipt", as: ReceiptVector.self)

    static let now: Int64 = 1_760_000_000_000

    static func named(_ name: String) throws -> ReceiptVector {
        try #require(self.all.first { $0.name == name })
    }

    var bytes: [UInt8] { get throws { try #require(Base64.decode(self.receipt_b64.utf8)) } }

    func verifier(cachesLeafKeys: Bool = true) throws -> AppReceiptVerifier {
        let der = try #require(Base64.decode(self.trusted_root_der_b64.utf8))
        let anchors = TrustAnchors([try #require(Certificate(der: der))])
        return AppReceiptVerifier(anchors: anchors, cachesLeafKeys: cachesLeafKeys)
    }

    static func status(_ bytes: [UInt8], _ verifier: AppReceiptVerifier) -> String {
        do throws(AppReceiptFault) {
            _ = try verifier.receipt(bytes, now: self.now)
            return "OK"
        } catch {
            return error.kind.rawValue
        }
    }
}
