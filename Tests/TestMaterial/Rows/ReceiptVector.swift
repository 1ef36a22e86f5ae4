/// A row of `pkcs7_receipt.jsonl`: an app receipt that a root of its own has signed, or not.
package struct ReceiptVector: VectorRow {
    package struct Fields: Decodable, Sendable {
        package var receipt_type: String
        package var bundle_id: String
        package var application_version: String
        package var original_application_version: String
        package var receipt_creation_date: String
        package var original_purchase_date: String
    }

    package struct Purchase: Decodable, Sendable {
        package var quantity: Int64
        package var product_id: String
        package var transaction_id: String
        package var purchase_date: String
        package var original_transaction_id: String
        package var original_purchase_date: String
        package var product_type: Int64
        package var expires_date: String
        package var web_order_line_item_id: Int64
        package var is_trial_period: Int64
        package var is_in_intro_offer_period: Int64
    }

    package var name: String
    package var receipt_b64: String
    package var trusted_root_der_b64: String
    package var expect: String
    package var fields: Fields?
    package var in_app: [Purchase]?
    package var device_guid_hex: String?
    package var first_transaction_id: String?

    package static let all = VectorFile.rows("pkcs7_receipt", as: ReceiptVector.self)
}
