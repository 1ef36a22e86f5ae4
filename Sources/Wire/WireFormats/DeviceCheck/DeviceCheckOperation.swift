/// An operation of DeviceCheck; the raw value is its word in records.
package enum DeviceCheckOperation: String, Hashable, Sendable, CaseIterable {
    case query
    case update
    case validate

    /// The operation's path at Apple.
    package var path: String {
        switch self {
        case .query: "/v1/query_two_bits"
        case .update: "/v1/update_two_bits"
        case .validate: "/v1/validate_device_token"
        }
    }
}
