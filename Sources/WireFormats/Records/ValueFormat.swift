/// How a record's value is written.
package enum ValueFormat: String, Hashable, Sendable, CaseIterable {
    case json
    case protobuf

    /// The `content-type` header that says so.
    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .protobuf: "application/x-protobuf"
        }
    }
}
