import WireFormats

/// The devices of an app that one field of their events divides from the others, such as those with version 3.2.1.
struct DeviceSegment: Hashable, Sendable {
    let provider: String
    let app: String
    let dimension: PushSegments.Dimension
    let name: String
}

/// The pushes that were sent to a segment on one day, as far as the pages need their numbers.
struct SegmentDay: Hashable, Sendable {
    let segment: DeviceSegment
    /// The first instant of the day (UTC), in milliseconds since 1970.
    let day: Int64
    let version: Int64
    let accepted: Int64
    let arrived: Int64
    /// The arrivals at most `earlyLag` after the sending.
    let early: Int64
    let opened: Int64

    /// The time from sending within which an arrival is early, in milliseconds. Days are compared by early arrivals, because
    /// those of a young day and of an old one are known equally well.
    static let earlyLag: Int64 = 3_600_000

    /// Takes the numbers of statistics; nil if they are about no segment.
    init?(_ statistics: PushStatisticsRecord) {
        guard case .segment(let dimension, let name, let day) = statistics.window,
            let start = RFC3339.milliseconds(day + "T00:00:00Z")
        else { return nil }
        self.segment = DeviceSegment(
            provider: statistics.provider,
            app: statistics.appBundle,
            dimension: dimension,
            name: name
        )
        self.day = start
        self.version = statistics.version
        self.accepted = statistics.accepted
        self.arrived = statistics.arrived
        self.early = statistics.lag.sketch.count(within: Self.earlyLag)
        self.opened = statistics.opened
    }
}
