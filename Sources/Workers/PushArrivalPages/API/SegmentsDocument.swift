import WireFormats

/// The answer of the read API about segments of devices on one day.
struct SegmentsDocument: Encodable, Sendable {
    struct Segment: Encodable, Sendable {
        var provider: String
        var appBundle: String
        var segmentBy: String
        var segment: String
        var accepted: Int64
        var arrived: Int64
        var opened: Int64
        /// The arrivals within an hour of the sending.
        var early: Int64
        /// The share of the accepted devices that arrived early; null if it is not known, as the three below.
        var rate: Double?
        var pastAccepted: Int64
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
        self.accepted = trend.now.accepted
        self.arrived = trend.today?.arrived ?? 0
        self.opened = trend.today?.opened ?? 0
        self.early = trend.now.early
        self.rate = trend.now.rate
        self.pastAccepted = trend.past.accepted
        self.pastEarly = trend.past.early
        self.pastRate = trend.past.rate
        self.change = trend.change
        self.uncertainty = trend.change == nil ? nil : trend.uncertainty
        self.fallen = trend.hasFallen
    }
}
