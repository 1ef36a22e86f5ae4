/// A row of `ios6_transaction_receipt.jsonl`: a receipt of iOS 6.
package struct TransactionReceiptVector: VectorRow {
    package var name: String
    package var receipt_b64: String
    package var expect: String
    package var purchase_info: [String: String]?
    package var environment: String?
    package var signing_cert_der_b64: String?
    package var issuer_der_b64: String?
    package var transaction_id: String?

    package static let all = VectorFile.rows("ios6_transaction_receipt", as: TransactionReceiptVector.self)
}
