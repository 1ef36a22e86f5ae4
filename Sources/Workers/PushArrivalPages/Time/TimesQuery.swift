import WebPages
import WireFormats

/// A question about arrivals over time. The page and the read API understand the same fields.
struct TimesQuery: Hashable, Sendable {
    /// The names of the fields in a query.
    static let names = MessageFilter.names + ["day"]

    let filter: MessageFilter
    /// The first instant of the day that is asked for (UTC), in milliseconds since 1970.
    let day: Int64
    /// A sentence for each field that cannot be read. Such a field changes nothing.
    let faults: [String]

    /// The days that can be asked for, with two weeks before each: the years 1 and 9999 are left out.
    private static let days =
        RFC3339.range.lowerBound + 400 * HourlyArrivals.millisecondsOfDay...RFC3339.range.upperBound - 400
        * HourlyArrivals.millisecondsOfDay

    /// - Parameter now: the wall-clock time in milliseconds since 1970; its day is the usual one.
    init(_ query: FormFields, now: Int64) {
        self.filter = MessageFilter(query)
        let today = now - (now % HourlyArrivals.millisecondsOfDay)
        var faults = self.filter.faults
        var day = today
        if let text = query["day"] {
            if text.utf8.count == 10, let start = RFC3339.milliseconds(text + "T00:00:00Z"),
                Self.days.contains(start)
            {
                day = start
            } else {
                faults.append("The field day is no day of the form 2026-01-31.")
            }
        }
        self.day = day
        self.faults = faults
    }

    /// Returns the day as it stands in a query.
    static func text(_ day: Int64) -> String { String(RFC3339.string(day).prefix(10)) }

    /// Returns the arrivals of the messages that pass the filter.
    func arrivals(of board: [PushStatisticsRecord]) -> HourlyArrivals {
        HourlyArrivals(self.filter.isEmpty ? board : board.filter(self.filter.matches), day: self.day)
    }
}
