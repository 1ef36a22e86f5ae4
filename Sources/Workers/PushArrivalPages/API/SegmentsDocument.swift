import WireFormats

/// The answer of the read API about segments of devices on one day.
struct SegmentsDocument: Encodable, Sendable {
    struct Segment: Encodable, Sendable {
        var provider: String
        var appBundle: String
        var segmentBy: String
        var segment: String
        /// The pushes that an extension runs for.
        var eligible: Int64
        var arrived: Int64
        var opened: Int64
        /// The arrivals that were reported within an hour of the sending.
        var early: Int64
        /// The share of the eligible pushes that arrived early; absent if it is not known, as the rates below.
        var rate: Double?
        /// Whether the past is that of the other segments of the app.
        var pastOfOthers: Bool
        var pastEligible: Int64
        var pastEarly: Int64
        var pastRate: Double?
        var change: Double?
        /// Three standard errors of the change.
        var uncertainty: Double?
        var fallen: Bool
    }

    /// The day (UTC).
    var day: String
    /// The segments, those that have fallen first.
    var segments: [Segment]

    init(_ trends: [SegmentTrend], day: Int64) {
        self.day = TimesQuery.text(day)
        self.segments = trends.map { Segment($0) }
    }
}

extension SegmentsDocument.Segment {
    fileprivate init(_ trend: SegmentTrend) {
        self.provider = trend.segment.provider
        self.appBundle = trend.segment.app
        self.segmentBy = trend.segment.dimension.rawValue
        self.segment = trend.segment.name
        self.eligible = trend.today?.eligible ?? 0
        self.arrived = trend.today?.arrived ?? 0
        self.opened = trend.today?.opened ?? 0
        self.early = trend.today?.early ?? 0
        self.rate = trend.now.rate
        self.pastOfOthers = trend.pastIs == .ofOthers
        self.pastEligible = trend.past.eligible
        self.pastEarly = trend.past.early
        self.pastRate = trend.past.rate
        self.change = trend.change
        self.uncertainty = trend.change == nil ? nil : trend.uncertainty
        self.fallen = trend.hasFallen
    }
}
