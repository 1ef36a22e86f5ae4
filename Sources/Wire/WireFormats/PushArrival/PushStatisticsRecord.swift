/// The value of a record of `push-arrival.stats`: all statistics of one message, of one day's events that name no
/// message, or of one day's pushes to a segment of devices.
///
/// Counts are of devices. `Schemas/flotilla/pusharrival/v1/push_statistics.proto` defines each of them.
package struct PushStatisticsRecord: Hashable, Sendable {
    /// The events that the statistics cover.
    package enum Window: Hashable, Sendable {
        /// All events of one message.
        case cohort
        /// The events of one UTC day, as `YYYY-MM-DD`, that name no message.
        case day(String)
        /// The pushes that were sent to a segment on one UTC day, as `YYYY-MM-DD`.
        case segment(PushSegments.Dimension, String, day: String)
    }

    /// The message's provider.
    package var provider: String
    /// The app's bundle id; empty if unknown.
    package var appBundle: String
    /// The message id; `unknown` for the events of one day that name no message, `all` for a segment.
    package var messageID: String
    /// The message's campaign id; empty if unknown.
    package var campaignID = ""
    /// The choice of events that the statistics cover.
    package var window = Window.cohort
    /// A number that grows with every change; of two snapshots of a key, the one with the higher version
    /// holds.
    package var version: Int64 = 0
    /// Whether the allowed lateness is over, so that only `lateDropped` can still change.
    package var isComplete = false

    /// The devices whose push the push service accepted.
    package var accepted: Int64 = 0
    /// The devices whose push the push service refused.
    package var rejected: Int64 = 0
    /// The devices whose push was refused, by the push service's reason.
    package var rejectedReasons: [String: Int64] = [:]
    /// The devices whose push was accepted, without those known to have no service extension run for it.
    package var eligible: Int64 = 0
    /// The devices that reported the push's arrival.
    package var arrived: Int64 = 0
    /// The devices that showed the push.
    package var shown: Int64 = 0
    /// The devices whose user opened the push.
    package var opened: Int64 = 0
    /// The arrivals that were reported within an hour of the sending; counted in segments only.
    package var early: Int64 = 0
    /// The devices that showed the picture or film of the push.
    package var attachmentsShown: Int64 = 0
    /// The devices whose user dismissed the push.
    package var dismissed: Int64 = 0
    /// The devices whose user did what the push was for.
    package var converted: Int64 = 0
    /// The value of all conversions by currency, in millionths.
    package var conversionValueMicros: [String: Int64] = [:]

    /// The times between sending and arrival.
    package var lag = Lag()

    /// The arrivals by hour of the clock.
    package var hours = ArrivalHours()

    /// The events that a device had reported before.
    package var duplicates: Int64 = 0
    /// The events that came after the allowed lateness.
    package var lateDropped: Int64 = 0
    /// The arrivals of pushes that no service extension runs for, or of an environment that is not counted.
    package var ineligible: Int64 = 0
    /// The events that named no device.
    package var unknownDevice: Int64 = 0
    /// The arrivals whose time by the device's clock could not be used as it was.
    package var skewAdjusted: Int64 = 0

    /// The corrected time of the first counted arrival, in milliseconds since 1970.
    package var firstArrivalMS: Int64?
    /// The corrected time of the last counted arrival, in milliseconds since 1970.
    package var lastArrivalMS: Int64?
    /// The time of the first sending, in milliseconds since 1970.
    package var sentMS: Int64?
    /// The time of this snapshot, in milliseconds since 1970.
    package var updatedMS: Int64 = 0

    package init(provider: String, appBundle: String, messageID: String) {
        self.provider = provider
        self.appBundle = appBundle
        self.messageID = messageID
    }

    /// Makes empty statistics for a key.
    package init(of key: CohortKey) {
        self.init(provider: key.provider, appBundle: key.appBundle, messageID: key.messageID)
        self.window = Window(of: key)
    }

    /// The key of the message or the day that the statistics are about.
    package var key: CohortKey {
        CohortKey(
            provider: self.provider,
            appBundle: self.appBundle,
            messageID: self.messageID,
            day: self.window.day,
            segment: self.window.segment
        )
    }

    /// The times from the sending of a push to its arrival.
    package struct Lag: Hashable, Sendable {
        /// The upper edges of the histogram, in ascending milliseconds.
        package var edgesMS: [Int64] = []
        /// The arrivals up to each edge, and one more number for the rest; empty if there are no edges.
        package var histogram: [Int64] = []
        /// The time within which half of the arrivals came, in milliseconds, exact to 2 %; nil without
        /// arrivals of known lag.
        package var p50MS: Int64?
        /// The time within which nine tenths of the arrivals came, in milliseconds, exact to 2 %; nil without
        /// arrivals of known lag.
        package var p90MS: Int64?
        /// The histogram that the percentiles are read from; it can be added up over messages.
        package var sketch = LagSketch()
        /// The arrivals whose time of sending is unknown; they are in no lag.
        package var unknown: Int64 = 0

        package init() {}
    }
}

extension PushStatisticsRecord.Window {
    fileprivate init(of key: CohortKey) {
        let parts = key.segment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, let dimension = PushSegments.Dimension(rawValue: String(parts[0])) {
            self = .segment(dimension, String(parts[1]), day: key.day)
        } else {
            self = key.day.isEmpty ? .cohort : .day(key.day)
        }
    }

    /// The day; empty for a message.
    fileprivate var day: String {
        switch self {
        case .cohort: ""
        case .day(let day), .segment(_, _, let day): day
        }
    }

    /// The segment as in its key; empty if the window is none.
    fileprivate var segment: String {
        guard case .segment(let dimension, let name, _) = self else { return "" }
        return "\(dimension.rawValue)=\(name)"
    }
}

// MARK: - Rates

extension PushStatisticsRecord {
    /// The devices to which the push was sent, whether the push service accepted it or not.
    package var sent: Int64 { self.accepted + self.rejected }

    /// The arrivals divided by the accepted pushes; nil if none was accepted. It may be above 1 until the
    /// statistics are complete, because an arrival can be counted before its sending.
    package var arrivalRate: Double? { Self.rate(self.arrived, of: self.accepted) }
    /// The arrivals divided by the accepted pushes that a service extension runs for, since no other push can
    /// report its arrival; nil if there are none.
    package var eligibleArrivalRate: Double? { Self.rate(self.arrived, of: self.eligible) }
    /// The shown pushes divided by the arrivals; nil if there are none.
    package var shownRate: Double? { Self.rate(self.shown, of: self.arrived) }
    /// The opened pushes divided by the arrivals; nil if there are none.
    package var openRate: Double? { Self.rate(self.opened, of: self.arrived) }
    /// The click-through rate: the opened pushes divided by the accepted ones; nil if none was accepted.
    package var clickThroughRate: Double? { Self.rate(self.opened, of: self.accepted) }

    /// The devices that showed the picture or film divided by those that showed the push; nil if none showed it.
    package var attachmentRate: Double? { Self.rate(self.attachmentsShown, of: self.shown) }
    /// The conversions divided by the opened pushes; nil if none was opened.
    package var conversionRate: Double? { Self.rate(self.converted, of: self.opened) }
    /// The devices that the app is no more on, by the push services' reasons.
    package var unregistered: Int64 {
        Self.unregisteredReasons.reduce(0) { $0 + (self.rejectedReasons[$1] ?? 0) }
    }

    /// The reasons of APNs, and of FCM's HTTP v1 and legacy interfaces, that say that the app is no more on the device.
    private static let unregisteredReasons = ["Unregistered", "UNREGISTERED", "NotRegistered"]

    /// Returns a share; nil if the whole is 0.
    package static func rate(_ part: Int64, of whole: Int64) -> Double? {
        whole == 0 ? nil : Double(part) / Double(whole)
    }
}
