import WebPages
import WireFormats

/// The values of the page about segments of devices: the arrivals of one day, against the week before it.
struct SegmentsModel: Sendable {
    struct Row: Sendable {
        var name: String
        var app: String
        var eligible: String
        var arrived: String
        var rate: String
        var past: String
        var change: String
        /// A few words about a fall, or about a rate that is unknown.
        var note: String?
        var hasFallen: Bool
    }

    /// The segments of one dimension.
    struct Table: Sendable {
        var name: String
        var heading: String
        var rows: [Row]
        /// The number of segments that are not shown; nil if all are.
        var leftOut: String?
    }

    var frame: Frame
    var inputs: [ListModel.Input]
    var faults: [String]
    var day: String
    var links: DayLinks
    var tables: [Table]
    var hasTables: Bool
    /// The arithmetic of each fall.
    var falls: [String]
    /// A sentence about the falls that are not among `falls`; nil if there are none.
    var moreFalls: String?
    var rules: String

    private static let rowsLimit = 200
    private static let fallsLimit = 20

    /// - Parameter now: the wall-clock time in milliseconds since 1970.
    init(_ board: StatisticsBoard, _ query: FormFields, frame: Frame, now: Int64) {
        let asked = SegmentsQuery(query, now: now)
        let days = board.segments
        let trends = asked.trends(of: days)
        self.frame = frame
        self.frame.slowReload = nil
        self.day = TimesQuery.text(asked.day)
        self.faults = asked.faults
        self.inputs = [
            ListModel.input("app", "App", in: query, choices: ListModel.choices(days.map(\.segment.app))),
            ListModel.input(
                "provider",
                "Provider",
                in: query,
                choices: ListModel.choices(days.map(\.segment.provider))
            ),
            ListModel.Input(name: "day", label: "Day (UTC)", type: "date", value: self.day, choices: []),
        ]
        self.links = DayLinks(
            "/segments",
            api: "/api/v1/segments",
            day: asked.day,
            names: SegmentsQuery.names,
            of: query
        )
        self.tables = PushSegments.Dimension.allCases.compactMap { dimension in
            let trends = trends.filter { $0.segment.dimension == dimension }
            return trends.isEmpty ? nil : Table(dimension, trends, limit: Self.rowsLimit)
        }
        self.hasTables = !self.tables.isEmpty
        let falls = trends.compactMap(\.sentence)
        self.falls = Array(falls.prefix(Self.fallsLimit))
        self.moreFalls =
            falls.count > Self.fallsLimit
            ? "\(Shown.count(falls.count - Self.fallsLimit, "more segment")) fell. They stand first in the tables."
            : nil
        self.rules = """
            A rate is the share of eligible pushes that were reported to have arrived within an hour of the sending. It is \
            told to have fallen if it is more than \(Points.text(SegmentTrend.threshold)) below that of the seven days \
            before, and by more than three standard errors. A segment with fewer than \
            \(Shown.number(Int(SegmentTrend.fewest))) pushes four to seven days before is compared with the \
            other segments of its app.
            """
    }
}

extension SegmentsModel.Table {
    fileprivate init(_ dimension: PushSegments.Dimension, _ trends: [SegmentTrend], limit: Int) {
        self.name = dimension.rawValue
        self.heading =
            switch dimension {
            case .appVersion: "By version of the app"
            case .osVersion: "By version of iOS"
            case .deviceModel: "By class of device"
            case .country: "By country"
            }
        self.rows = trends.prefix(limit).map { SegmentsModel.Row($0) }
        self.leftOut = trends.count > limit ? Shown.count(trends.count - limit, "more segment") : nil
    }
}

extension SegmentsModel.Row {
    fileprivate init(_ trend: SegmentTrend) {
        self.name = SafeText.line(trend.segment.name, limit: 64)
        self.app = [trend.segment.app, trend.segment.provider].filter { !$0.isEmpty }
            .map { SafeText.line($0, limit: 100) }.joined(separator: " · ")
        self.eligible = Shown.number(Int(trend.today?.eligible ?? 0))
        self.arrived = Shown.number(Int(trend.today?.arrived ?? 0))
        self.rate = Share.text(trend.now.rate)
        self.past = Share.text(trend.past.rate)
        self.hasFallen = trend.hasFallen
        self.change =
            trend.change.map { ($0 < 0 ? "−" : "+") + Points.text(abs($0)) } ?? Share.none
        self.note =
            if trend.hasFallen {
                trend.pastIs == .own ? "has fallen" : "is below the other segments"
            } else if trend.today == nil {
                "nothing was sent"
            } else if !trend.isRipe {
                "so far"
            } else if trend.today?.isBehind == true {
                "the sender's reports are behind"
            } else if trend.now.rate == nil {
                "too few pushes for a rate"
            } else if trend.pastIs == .ofOthers {
                "against the other segments"
            } else {
                nil
            }
    }
}
