/// A row of `devicecheck_decisions.jsonl`.
package struct DeviceCheckDecision: VectorRow {
    package struct State: Decodable, Sendable {
        package var bit0: Bool
        package var bit1: Bool
        package var last_update_time: String?
    }

    package var name: String
    package var op: String
    package var http_status: Int?
    package var body: String?
    package var action: String
    package var result: State?
    package var transport_error: String?

    package static let all = VectorFile.rows("devicecheck_decisions", as: DeviceCheckDecision.self)
}
