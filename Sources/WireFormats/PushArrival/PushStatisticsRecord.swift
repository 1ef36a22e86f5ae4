/// The value of a record of `push-arrival.stats`: the whole of what is known of one message, or of one day's events
/// that name none.
///
/// Counts are of devices. `Schemas/flotilla/pusharrival/v1/push_statistics.proto` says what each of them means.
package struct PushStatisticsRecord: Hashable, Sendable {
    package enum Window: Hashable, Sendable {
        /// All that happened to one message.
        case cohort
        /// The events of one UTC day, as `YYYY-MM-DD`.
        case day(String)
    }

    package var provider: String
    package var appBundle: String
    package var messageID: String
    package var campaignID = ""
    package var window = Window.cohort
    package var version: Int64 = 0
    package var isComplete = false

    package var accepted: Int64 = 0
    package var rejected: Int64 = 0
    package var rejectedReasons: [String: Int64] = [:]
    package var eligible: Int64 = 0
    package var arrived: Int64 = 0
    package var shown: Int64 = 0
    package var opened: Int64 = 0
    package var dismissed: Int64 = 0

    package var lag = Lag()

    package var duplicates: Int64 = 0
    package var lateDropped: Int64 = 0
    package var ineligible: Int64 = 0
    package var unknownDevice: Int64 = 0
    package var skewAdjusted: Int64 = 0

    /// Milliseconds since 1970.
    package var firstArrivalMS: Int64?
    package var lastArrivalMS: Int64?
    package var sentMS: Int64?
    package var updatedMS: Int64 = 0

    package init(provider: String, appBundle: String, messageID: String) {
        self.provider = provider
        self.appBundle = appBundle
        self.messageID = messageID
    }

    package init(of key: CohortKey) {
        self.init(provider: key.provider, appBundle: key.appBundle, messageID: key.messageID)
        self.window = key.day.isEmpty ? .cohort : .day(key.day)
    }

    package var key: CohortKey {
        var day = ""
        if case .day(let name) = self.window { day = name }
        return CohortKey(
            provider: self.provider,
            appBundle: self.appBundle,
            messageID: self.messageID,
            day: day
        )
    }

    /// How long arrivals took.
    package struct Lag: Hashable, Sendable {
        /// Milliseconds, each more than the one before.
        package var edgesMS: [Int64] = []
        /// Arrivals up to each edge, and one more for the rest; empty if there are no edges.
        package var histogram: [Int64] = []
        package var p50MS: Int64?
        package var p90MS: Int64?
        package var sketch = LagSketch()
        /// Arrivals of which nobody has said when they were sent.
        package var unknown: Int64 = 0

        package init() {}
    }
}

// MARK: - Rates

extension PushStatisticsRecord {
    package var sent: Int64 { self.accepted + self.rejected }

    /// May be above 1 as long as the statistics are not complete, since arrivals overtake what was sent.
    package var arrivalRate: Double? { Self.rate(self.arrived, of: self.accepted) }
    /// Of those that a service extension runs for: the others cannot arrive.
    package var eligibleArrivalRate: Double? { Self.rate(self.arrived, of: self.eligible) }
    package var shownRate: Double? { Self.rate(self.shown, of: self.arrived) }
    package var openRate: Double? { Self.rate(self.opened, of: self.arrived) }
    /// The click-through rate of all that was sent.
    package var clickThroughRate: Double? { Self.rate(self.opened, of: self.accepted) }

    /// Of nothing, there is no rate.
    package static func rate(_ part: Int64, of whole: Int64) -> Double? {
        whole == 0 ? nil : Double(part) / Double(whole)
    }
}
