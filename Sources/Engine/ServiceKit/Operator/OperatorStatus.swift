/// How a process is, as it answers an operator: as JSON, to an order that was carried out and to the question for it.
package struct OperatorStatus: Codable, Hashable, Sendable {
    package var program: String
    package var version: String
    package var ready: Bool
    /// The reason why the process is not ready; nil if it is, or gives none.
    package var reason: String?
    /// The names of the endpoints that the process calls.
    package var endpoints: [String]
    /// The largest number of calls in flight that can be chosen; nil for a process without calls.
    package var concurrency: Int?
    /// The level of the log.
    package var logLevel: String
    package var choices: OperatorChoices

    private enum CodingKeys: String, CodingKey {
        case program, version, ready, reason, endpoints, concurrency, choices
        case logLevel = "log_level"
    }
}
