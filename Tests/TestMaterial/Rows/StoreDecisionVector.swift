/// A row of `verifyreceipt_decisions.jsonl` or `asapi_decisions.jsonl`.
package struct StoreDecisionVector: VectorRow {
    package var name: String
    package var env: String
    package var http_status: Int?
    package var headers: [String: String]?
    package var body: String?
    package var action: String
    package var visited: [String]?
    package var transport_error: String?

    package static let verifyReceipt = VectorFile.rows(
        "verifyreceipt_decisions",
        as: StoreDecisionVector.self
    )
    package static let serverAPI = VectorFile.rows("asapi_decisions", as: StoreDecisionVector.self)
    package static var all: [StoreDecisionVector] { self.verifyReceipt + self.serverAPI }
}
