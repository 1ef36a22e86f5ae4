/// What is asked of DeviceCheck: the operation's word in records, and its path at Apple.
package enum DeviceCheckOperation: String, Hashable, Sendable, CaseIterable {
    case query
    case update
    case validate

    package var path: String {
        switch self {
        case .query: "/v1/query_two_bits"
        case .update: "/v1/update_two_bits"
        case .validate: "/v1/validate_device_token"
        }
    }
}
