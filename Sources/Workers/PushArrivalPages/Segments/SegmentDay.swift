import WireFormats

/// The pushes that were sent to a segment on one day, as far as the pages need their numbers.
struct SegmentDay: Hashable, Sendable {
    let segment: DeviceSegment
    /// The first instant of the day (UTC), in milliseconds since 1970.
    let day: Int64
    let version: Int64
    /// The pushes that an extension runs for, so that their arrival can be reported.
    let eligible: Int64
    let arrived: Int64
    /// The arrivals that were reported within an hour of the sending. Days are compared by them, because those of a young
    /// day and of an old one are known equally well.
    let early: Int64
    let opened: Int64

    /// The time after the end of a day when its early arrivals are known, in milliseconds: the last ones are reported
    /// within an hour, and the parts and the statistics of a segment are each published within an hour.
    static let ripeAfter: Int64 = 3 * 3_600_000

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
        self.eligible = statistics.eligible
        self.arrived = statistics.arrived
        self.early = statistics.early
        self.opened = statistics.opened
    }
}
