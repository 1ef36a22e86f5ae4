/// A row of `jws_x5c.jsonl`: a transaction that a root of its own has signed, or not.
package struct JWSVector: VectorRow {
    package struct Payload: Decodable, Sendable {
        package var transactionId: String
        package var productId: String
        package var type: String
        package var signedDate: Double
        package var purchaseDate: Int64
        package var expiresDate: Int64?
        package var price: Int64?
    }

    package var name: String
    package var trusted_root_der_b64: String
    package var expected_bundle_id: String
    package var expected_environment: String
    package var jws: String
    package var payload: Payload
    package var expect: String
    package var lenient: Bool?

    package static let all = VectorFile.rows("jws_x5c", as: JWSVector.self)
}
