import Testing

@testable import WireFormats

/// A row of `Vectors/verifyreceipt_decisions.jsonl` or `Vectors/asapi_decisions.jsonl`.
struct StoreDecisionRow: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var env: String
    var http_status: Int?
    var headers: [String: String]?
    var body: String?
    var action: String
    var visited: [String]?
    var transport_error: String?

    var testDescription: String { self.name }

    static let verifyReceipt: [StoreDecisionRow] = VectorFile.rows("verifyreceipt_decisions")
    static let serverAPI: [StoreDecisionRow] = VectorFile.rows("asapi_decisions")
}
