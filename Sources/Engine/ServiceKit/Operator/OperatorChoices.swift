/// The choices of an operator, which hold until they are taken back.
package struct OperatorChoices: Codable, Hashable, Sendable {
    /// Whether the worker takes in no records and makes no calls.
    package var isPaused = false
    /// The lanes along which no calls are made.
    package var lanes: Set<String> = []
    /// The endpoints that are not called, by their names.
    package var endpoints: Set<String> = []
    /// The largest number of calls in flight; nil for that of the settings.
    package var concurrency: Int?
    /// The level of the log; nil for that of the settings.
    package var logLevel: String?

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case isPaused = "paused"
        case lanes, endpoints, concurrency
        case logLevel = "log_level"
    }

    /// Reads choices that `encode` has written. A member that is absent is no choice.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.isPaused = try members.decodeIfPresent(Bool.self, forKey: .isPaused) ?? false
        self.lanes = Set(try members.decodeIfPresent([String].self, forKey: .lanes) ?? [])
        self.endpoints = Set(try members.decodeIfPresent([String].self, forKey: .endpoints) ?? [])
        self.concurrency = try members.decodeIfPresent(Int.self, forKey: .concurrency)
        self.logLevel = try members.decodeIfPresent(String.self, forKey: .logLevel)
    }

    /// Writes the choices as one object, with names in alphabetical order.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(self.isPaused, forKey: .isPaused)
        try members.encode(self.lanes.sorted(), forKey: .lanes)
        try members.encode(self.endpoints.sorted(), forKey: .endpoints)
        try members.encodeIfPresent(self.concurrency, forKey: .concurrency)
        try members.encodeIfPresent(self.logLevel, forKey: .logLevel)
    }
}
