import WireFormats

/// The answer of the read API about arrivals over time: each hour of two weeks.
struct ArrivalsDocument: Encodable, Sendable {
    struct Hour: Encodable, Sendable {
        /// The first instant of the hour.
        var startsAt: String
        var arrivals: Int64
        /// Whether the hour is over. Devices that report late may still add to it.
        var over: Bool
    }

    /// The last day of the two weeks (UTC).
    var day: String
    /// The messages that match.
    var messages: Int
    /// The arrivals of these messages whose hour is not known.
    var withoutHour: Int64
    /// The hours that have begun, the first one first.
    var hours: [Hour]

    /// - Parameter now: the wall-clock time in milliseconds since 1970.
    init(_ arrivals: HourlyArrivals, now: Int64) {
        self.day = TimesQuery.text(arrivals.day)
        self.messages = arrivals.messages
        self.withoutHour = arrivals.withoutHour
        self.hours = arrivals.counts.enumerated().compactMap { place, count in
            let start = arrivals.start(of: place)
            guard start <= now else { return nil }
            return Hour(
                startsAt: RFC3339.string(start),
                arrivals: count,
                over: start + ArrivalHours.length <= now
            )
        }
    }
}
