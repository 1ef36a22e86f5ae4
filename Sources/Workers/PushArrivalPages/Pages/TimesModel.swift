import WebPages
import WireFormats

/// The values of the page about arrivals over time: a day by hour, and a week against the week before.
struct TimesModel: Sendable {
    /// An hour or a day, beside the same one a week before.
    struct Row: Sendable {
        var label: String
        /// A few words about a time that is not over.
        var note: String?
        var count: String
        var before: String
        var change: String
        /// The lengths of the bars, in units of `FunnelBar`.
        var bar: Int
        var beforeBar: Int
    }

    var frame: Frame
    var inputs: [ListModel.Input]
    var faults: [String]
    var day: String
    var links: DayLinks
    var hasRows: Bool
    var totals: [ListModel.Total]
    var hours: [Row]
    var days: [Row]
    var hoursCaption: String
    var daysCaption: String
    var messages: String
    var withoutHour: String?

    /// Creates the model.
    ///
    /// - Parameters:
    ///   - board: all statistics that are shown.
    ///   - now: the wall-clock time in milliseconds since 1970.
    init(_ board: [PushStatisticsRecord], _ query: FormFields, frame: Frame, now: Int64) {
        let asked = TimesQuery(query, now: now)
        let arrivals = asked.arrivals(of: board)
        self.frame = frame
        self.frame.slowReload = nil
        self.day = TimesQuery.text(asked.day)
        self.faults = asked.faults
        self.inputs =
            ListModel.names(board, query) + [
                ListModel.Input(name: "day", label: "Day (UTC)", type: "date", value: self.day, choices: [])
            ]
        self.links = DayLinks(
            "/time",
            api: "/api/v1/arrivals",
            day: asked.day,
            names: TimesQuery.names,
            of: query
        )
        self.hasRows = arrivals.messages > 0
        self.hours = Self.hours(arrivals, now: now)
        self.days = Self.days(arrivals, now: now)
        self.totals = Self.totals(arrivals, now: now)
        self.hoursCaption = "Arrivals by hour on \(self.day), and a week before"
        self.daysCaption = "Arrivals by day in the week that ends with \(self.day), and in the week before"
        self.messages = Shown.count(arrivals.messages, "message")
        self.withoutHour =
            arrivals.withoutHour == 0
            ? nil
            : """
            In no hour: \(Shown.count(Int(arrivals.withoutHour), "arrival")) from before hours were kept, or from more \
            than two weeks of arrivals before the last ones of their message.
            """
    }

    private static func hours(_ arrivals: HourlyArrivals, now: Int64) -> [Row] {
        let all = (0..<HourlyArrivals.hoursOfDay).map {
            (count: arrivals.count(hour: $0), before: arrivals.count(hour: $0, back: 7))
        }
        let most = all.reduce(0) { max($0, $1.count, $1.before) }
        return all.enumerated().map { hour, pair in
            let start = arrivals.day + Int64(hour) * ArrivalHours.length
            return Row(
                (hour < 10 ? "0" : "") + "\(hour):00",
                pair.count,
                before: pair.before,
                most: most,
                span: start..<(start + ArrivalHours.length),
                now: now
            )
        }
    }

    private static func days(_ arrivals: HourlyArrivals, now: Int64) -> [Row] {
        let all = (0..<7).map {
            (back: $0, count: arrivals.count(ofDay: $0), before: arrivals.count(ofDay: $0 + 7))
        }
        let most = all.reduce(0) { max($0, $1.count, $1.before) }
        return all.reversed().map { back, count, before in
            let start = arrivals.day - Int64(back) * HourlyArrivals.millisecondsOfDay
            return Row(
                "\(Self.weekday(start)) \(TimesQuery.text(start))",
                count,
                before: before,
                most: most,
                span: start..<(start + HourlyArrivals.millisecondsOfDay),
                now: now
            )
        }
    }

    /// Returns the English name of a day, in three letters.
    private static func weekday(_ day: Int64) -> String {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        // The first of January 1970 was a Thursday.
        let number = day / HourlyArrivals.millisecondsOfDay
        return names[Int((number % 7 + 7) % 7)]
    }

    /// The sums of the day and of the week. A week is compared by the days that are over, each with the same
    /// day of the week before.
    private static func totals(_ arrivals: HourlyArrivals, now: Int64) -> [ListModel.Total] {
        let over = (0..<7).filter {
            arrivals.day - Int64($0 - 1) * HourlyArrivals.millisecondsOfDay <= now
        }
        func sum(_ days: [Int]) -> Int64 {
            days.reduce(0) { $0.addingCapped(arrivals.count(ofDay: $1)) }
        }
        let (week, before) = (sum(over), sum(over.map { $0 + 7 }))
        let isOver = arrivals.day + HourlyArrivals.millisecondsOfDay <= now
        let (day, dayBefore) = (arrivals.count(ofDay: 0), arrivals.count(ofDay: 7))
        return [
            ListModel.Total(
                label: isOver ? "On this day" : "On this day, so far",
                value: Shown.number(Int(day)),
                note: "\(Shown.number(Int(dayBefore))) in all a week before",
                isLarge: true
            ),
            ListModel.Total(
                label: "In its week, \(Shown.count(over.count, "whole day"))",
                value: Shown.number(Int(week)),
                note: "\(Shown.number(Int(before))) in the week before",
                isLarge: true
            ),
            ListModel.Total(
                label: "Against the week before",
                value: Change.text(week, from: before),
                note: "by whole days",
                isLarge: true
            ),
        ]
    }
}

/// The text of a change from one count to another.
enum Change {
    /// Returns a change in percent with its sign, such as `+4.2 %`; the sign for nothing if there was nothing
    /// before.
    static func text(_ count: Int64, from before: Int64) -> String {
        guard before > 0 else { return Share.none }
        let change = Double(count) / Double(before) - 1
        let text = Share.text(abs(change))
        return text == "0.0 %" ? text : (change < 0 ? "−" : "+") + text
    }
}

extension TimesModel.Row {
    /// - Parameters:
    ///   - most: the count of the longest bar.
    ///   - span: the time that the row covers, in milliseconds since 1970.
    fileprivate init(
        _ label: String,
        _ count: Int64,
        before: Int64,
        most: Int64,
        span: Range<Int64>,
        now: Int64
    ) {
        self.label = label
        let (isOver, hasBegun) = (span.upperBound <= now, span.lowerBound <= now)
        self.note = isOver ? nil : hasBegun ? "so far" : "to come"
        self.count = hasBegun ? Shown.number(Int(count)) : Share.none
        self.before = Shown.number(Int(before))
        self.change = isOver ? Change.text(count, from: before) : Share.none
        self.bar = FunnelBar(count, before: nil, longest: most).bar
        self.beforeBar = FunnelBar(before, before: nil, longest: most).bar
    }
}
