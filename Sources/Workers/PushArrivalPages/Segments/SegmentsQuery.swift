import WebPages
import WireFormats

/// A question about segments. The page and the read API understand the same fields.
struct SegmentsQuery: Hashable, Sendable {
    /// The names of the fields in a query.
    static let names = ["app", "provider", "day"]

    /// The text that the app's bundle id must contain, in lower case; empty for all.
    let app: String
    /// The text that the provider must contain, in lower case; empty for all.
    let provider: String
    /// The first instant of the day that is judged (UTC), in milliseconds since 1970.
    let day: Int64
    private let now: Int64
    /// A sentence for each field that cannot be read. Such a field changes nothing.
    let faults: [String]

    /// - Parameter now: the wall-clock time in milliseconds since 1970. The usual day is the newest one that can be judged.
    init(_ query: FormFields, now: Int64) {
        let filter = MessageFilter(query.only(["app", "provider"]))
        self.app = filter.app
        self.provider = filter.provider
        let times = TimesQuery(query.only(["day"]), now: now)
        self.day =
            query["day"] == nil || !times.faults.isEmpty ? SegmentTrend.newestDay(asOf: now) : times.day
        self.faults = times.faults
        self.now = now
    }

    /// Returns the trends of the segments that are asked for: those that have fallen first, then those with the most
    /// pushes.
    func trends(of days: [SegmentDay]) -> [SegmentTrend] {
        let asked = days.filter { day in
            (self.app.isEmpty || day.segment.app.lowercased().contains(self.app))
                && (self.provider.isEmpty || day.segment.provider.lowercased().contains(self.provider))
        }
        return SegmentTrend.all(asked, on: self.day, asOf: self.now).sorted { one, other in
            if one.hasFallen != other.hasFallen { return one.hasFallen }
            let (pushes, others) = (one.today?.eligible ?? 0, other.today?.eligible ?? 0)
            return pushes == others ? one.segment < other.segment : pushes > others
        }
    }
}
