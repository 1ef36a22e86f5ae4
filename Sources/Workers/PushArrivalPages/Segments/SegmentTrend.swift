import WebPages
import WireFormats

/// The early arrivals of a segment on one day, against those of the same segment in the seven days before.
struct SegmentTrend: Hashable, Sendable {
    /// Early arrivals and the accepted devices that they are a share of.
    struct Side: Hashable, Sendable {
        var accepted: Int64 = 0
        var early: Int64 = 0

        /// The share of the accepted devices; nil if there are too few, or if more devices have reported an arrival than a
        /// sender has told of.
        var rate: Double? {
            self.accepted >= SegmentTrend.fewest && self.early <= self.accepted
                ? PushStatisticsRecord.rate(self.early, of: self.accepted) : nil
        }

        /// The variance of the rate, if each device arrives by chance.
        fileprivate var variance: Double {
            guard let rate = self.rate else { return 0 }
            return rate * (1 - rate) / Double(self.accepted)
        }
    }

    let segment: DeviceSegment
    /// The day that is judged; nil if nothing was sent to the segment on it.
    let today: SegmentDay?
    let now: Side
    let past: Side

    /// The number of days before the judged one.
    static let pastDays: Int64 = 7
    /// The fewest accepted devices for a rate.
    static let fewest: Int64 = 100
    /// The fall of the rate, as a share of the accepted devices, from which on it is told.
    static let threshold = 0.1
    /// The number of standard errors that a fall exceeds. By chance, one in 740 comparisons does.
    static let errors = 3.0

    /// Returns the trend of each segment that has a day in the span.
    ///
    /// - Parameters:
    ///   - days: the days of all segments.
    ///   - day: the first instant of the day that is judged, in milliseconds since 1970.
    static func all(_ days: [SegmentDay], on day: Int64) -> [SegmentTrend] {
        let length = HourlyArrivals.millisecondsOfDay
        let span = (day - self.pastDays * length)...day
        return Dictionary(grouping: days.filter { span.contains($0.day) }, by: \.segment).map {
            segment,
            days in
            SegmentTrend(segment, days, on: day)
        }
    }

    private init(_ segment: DeviceSegment, _ days: [SegmentDay], on day: Int64) {
        var (now, past) = (Side(), Side())
        for other in days {
            if other.day == day { now.add(other) } else { past.add(other) }
        }
        self.segment = segment
        self.today = days.first { $0.day == day }
        self.now = now
        self.past = past
    }

    /// The newest day whose pushes can all have arrived early: the last one that ended at least `SegmentDay.earlyLag` ago.
    ///
    /// - Parameter now: the wall-clock time in milliseconds since 1970.
    static func newestDay(asOf now: Int64) -> Int64 {
        let length = HourlyArrivals.millisecondsOfDay
        return ((now - SegmentDay.earlyLag) / length - 1) * length
    }

    /// The rate of the day minus that of the days before; nil if one of them is unknown.
    var change: Double? {
        guard let rate = self.now.rate, let past = self.past.rate else { return nil }
        return rate - past
    }

    /// Three standard errors of the change.
    var uncertainty: Double { Self.errors * (self.now.variance + self.past.variance).squareRoot() }

    /// Whether the rate has fallen by more than the threshold, and by more than chance explains.
    var hasFallen: Bool {
        guard let change = self.change else { return false }
        return -change > max(Self.threshold, self.uncertainty)
    }

    /// The arithmetic of a fall in one sentence; nil if the rate has not fallen.
    var sentence: String? {
        guard self.hasFallen, let change = self.change, let today = self.today else { return nil }
        let segment = self.segment
        let (name, app) = (SafeText.line(segment.name, limit: 64), SafeText.line(segment.app, limit: 100))
        return """
            \(segment.dimension.rawValue) \(name) of \(app.isEmpty ? "an unknown app" : app): on \
            \(TimesQuery.text(today.day)), \(Share.text(self.now.rate)) of \(Shown.number(Int(self.now.accepted))) \
            accepted devices reported the arrival within an hour; in the seven days before, \
            \(Share.text(self.past.rate)) of \(Shown.number(Int(self.past.accepted))). That is \
            \(Points.text(abs(change))) less, and three standard errors are \(Points.text(self.uncertainty)).
            """
    }
}

extension SegmentTrend.Side {
    fileprivate mutating func add(_ day: SegmentDay) {
        self.accepted = self.accepted.addingCapped(day.accepted)
        self.early = self.early.addingCapped(day.early)
    }
}

/// The text of a difference of two shares.
enum Points {
    /// Returns the difference in percentage points, such as `4.2 points`; of a share, 0.042.
    static func text(_ difference: Double) -> String {
        Share.text(difference).replacing(" %", with: " points")
    }
}
