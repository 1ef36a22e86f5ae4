import WebPages
import WireFormats

/// The early arrivals of a segment on one day, against those of the seven days before.
struct SegmentTrend: Hashable, Sendable {
    /// Early arrivals and the eligible pushes that they are a share of.
    struct Side: Hashable, Sendable {
        var eligible: Int64 = 0
        var early: Int64 = 0

        /// The share of the eligible pushes; nil if there are too few of them.
        var rate: Double? {
            self.eligible >= SegmentTrend.fewest
                ? PushStatisticsRecord.rate(self.early, of: self.eligible) : nil
        }

        /// The variance of the rate, if each push arrives by chance.
        fileprivate var variance: Double {
            guard let rate = self.rate else { return 0 }
            return rate * (1 - rate) / Double(self.eligible)
        }
    }

    /// The pushes that the day is compared with.
    enum Past: Hashable, Sendable {
        /// The pushes to the same segment.
        case own
        /// The pushes to the other segments of the app, because too few were sent to this one four to seven days before: a
        /// new version has no past, and its first days are no measure of it.
        case ofOthers
    }

    let segment: DeviceSegment
    /// The day that is judged; nil if nothing was sent to the segment on it.
    let today: SegmentDay?
    let now: Side
    let past: Side
    let pastIs: Past
    /// Whether all early arrivals of the day are known.
    let isRipe: Bool

    /// The number of days before the judged one.
    static let pastDays: Int64 = 7
    /// The number of days before the judged one whose pushes are no past of their own.
    private static let youngDays: Int64 = 3
    /// The fewest eligible pushes for a rate. Several of them can be to one device, which misses all of them if it is off.
    static let fewest: Int64 = 1_000
    /// The fall of the rate, as a share of the eligible pushes, from which on it is told.
    static let threshold = 0.1
    /// The number of standard errors that a fall exceeds.
    static let errors = 3.0

    /// Returns the trend of each segment that has a day in the span.
    ///
    /// - Parameters:
    ///   - days: the days of all segments. A day with more early arrivals than pushes is left out: its sender's reports are
    ///     behind.
    ///   - day: the first instant of the day that is judged, in milliseconds since 1970.
    ///   - now: the wall-clock time in milliseconds since 1970.
    static func all(_ days: [SegmentDay], on day: Int64, asOf now: Int64) -> [SegmentTrend] {
        let length = HourlyArrivals.millisecondsOfDay
        let span = (day - self.pastDays * length)...day
        let isRipe = day <= self.newestDay(asOf: now)
        let asked = Dictionary(grouping: days.filter { span.contains($0.day) }, by: \.segment)
        let pasts = asked.mapValues { days in Side(days.filter { $0.day < day }) }
        var apps: [DeviceSegment: Side] = [:]
        for (segment, past) in pasts { apps[segment.dimensionOfApp, default: Side()].add(past) }
        return asked.map { segment, days in
            let own = pasts[segment] ?? Side()
            let others = (apps[segment.dimensionOfApp] ?? Side()).without(own)
            let hasPast = Side(days.filter { $0.day < day - self.youngDays * length }).rate != nil
            return SegmentTrend(
                segment: segment,
                today: days.first { $0.day == day },
                past: hasPast || others.rate == nil ? own : others,
                pastIs: hasPast || others.rate == nil ? .own : .ofOthers,
                isRipe: isRipe
            )
        }
    }

    private init(segment: DeviceSegment, today: SegmentDay?, past: Side, pastIs: Past, isRipe: Bool) {
        self.segment = segment
        self.today = today
        self.now = Side([today].compactMap(\.self))
        self.past = past
        self.pastIs = pastIs
        self.isRipe = isRipe
    }

    /// The newest day that can be judged: the last one that ended at least `SegmentDay.ripeAfter` ago.
    ///
    /// - Parameter now: the wall-clock time in milliseconds since 1970.
    static func newestDay(asOf now: Int64) -> Int64 {
        let length = HourlyArrivals.millisecondsOfDay
        return ((now - SegmentDay.ripeAfter) / length - 1) * length
    }

    /// The rate of the day minus that of the days before; nil if one of them is unknown.
    var change: Double? {
        guard let rate = self.now.rate, let past = self.past.rate else { return nil }
        return rate - past
    }

    /// Three standard errors of the change, if each push arrives by chance.
    var uncertainty: Double { Self.errors * (self.now.variance + self.past.variance).squareRoot() }

    /// Whether the rate has fallen by more than the threshold, and by more than chance explains. Different segments are
    /// together in `other` on different days, so it is not judged.
    var hasFallen: Bool {
        guard self.isRipe, let change = self.change, self.segment.name != PushSegments.other else {
            return false
        }
        return -change > max(Self.threshold, self.uncertainty)
    }

    /// The arithmetic of a fall in one sentence; nil if the rate has not fallen.
    var sentence: String? {
        guard self.hasFallen, let change = self.change, let today = self.today else { return nil }
        let segment = self.segment
        let (name, app) = (SafeText.line(segment.name, limit: 64), SafeText.line(segment.app, limit: 100))
        let past =
            self.pastIs == .own
            ? "in the seven days before" : "at the other segments, in the seven days before"
        return """
            \(segment.dimension.rawValue) \(name) of \(app.isEmpty ? "an unknown app" : app): \
            \(Share.text(self.now.rate)) of \(Shown.number(Int(self.now.eligible))) pushes of \
            \(TimesQuery.text(today.day)) were reported to have arrived within an hour; \(past), \
            \(Share.text(self.past.rate)) of \(Shown.number(Int(self.past.eligible))). That is \
            \(Points.text(abs(change))) less, and three standard errors are \(Points.text(self.uncertainty)).
            """
    }
}

extension SegmentTrend.Side {
    /// Adds up days; one whose sender's reports are behind is left out.
    fileprivate init(_ days: [SegmentDay]) {
        for day in days where !day.isBehind {
            self.add(SegmentTrend.Side(eligible: day.eligible, early: day.early))
        }
    }

    fileprivate mutating func add(_ other: SegmentTrend.Side) {
        self.eligible = self.eligible.addingCapped(other.eligible)
        self.early = self.early.addingCapped(other.early)
    }

    /// Returns the rest without a part of it.
    fileprivate func without(_ part: SegmentTrend.Side) -> SegmentTrend.Side {
        SegmentTrend.Side(eligible: self.eligible - part.eligible, early: self.early - part.early)
    }
}

extension SegmentDay {
    /// Whether more arrivals than pushes were reported, so that the day has no rate.
    var isBehind: Bool { self.early > self.eligible }
}
