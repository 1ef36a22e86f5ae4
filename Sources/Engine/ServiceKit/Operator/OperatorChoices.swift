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
    /// Calls a second of the whole fleet, of which the worker makes its share; nil for the rate of the settings. Infinity
    /// is no rate, and only settings that are read again bring it.
    package var rate: Double?
    /// The level of the log; nil for that of the settings.
    package var logLevel: String?

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case isPaused = "paused"
        case lanes, endpoints, concurrency, rate
        case logLevel = "log_level"
    }

    /// Reads choices that `encode` has written. A member that is absent is no choice.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.isPaused = try members.decodeIfPresent(Bool.self, forKey: .isPaused) ?? false
        self.lanes = Set(try members.decodeIfPresent([String].self, forKey: .lanes) ?? [])
        self.endpoints = Set(try members.decodeIfPresent([String].self, forKey: .endpoints) ?? [])
        self.concurrency = try members.decodeIfPresent(Int.self, forKey: .concurrency)
        self.rate = try members.decodeIfPresent(Double.self, forKey: .rate)
        if let rate, !OperatorOrder.rates.contains(rate) {
            throw DecodingError.dataCorruptedError(forKey: .rate, in: members, debugDescription: "no rate")
        }
        self.logLevel = try members.decodeIfPresent(String.self, forKey: .logLevel)
    }

    /// Writes the choices as one object, with names in alphabetical order.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(self.isPaused, forKey: .isPaused)
        try members.encode(self.lanes.sorted(), forKey: .lanes)
        try members.encode(self.endpoints.sorted(), forKey: .endpoints)
        try members.encodeIfPresent(self.concurrency, forKey: .concurrency)
        try members.encodeIfPresent(self.rate, forKey: .rate)
        try members.encodeIfPresent(self.logLevel, forKey: .logLevel)
    }
}
