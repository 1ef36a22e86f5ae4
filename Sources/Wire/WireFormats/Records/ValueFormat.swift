/// The format of a record's value.
package enum ValueFormat: String, Hashable, Sendable, CaseIterable {
    case json
    case protobuf

    /// The value of the `content-type` header for this format.
    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .protobuf: "application/x-protobuf"
        }
    }
}
