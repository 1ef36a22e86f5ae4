import Glibc
import WireFormats

/// The curve of the cumulative share of arrivals over their lag, as parts of an SVG of 640 by 280 units. The
/// time axis is logarithmic, because most notifications arrive within seconds and the last ones after days.
struct LagCurve: Hashable, Sendable {
    /// A grid line with its label.
    struct Line: Hashable, Sendable {
        /// The position of the line along its axis.
        var place: Int
        /// The text at the line; empty if it would overlap another label.
        var label: String
        /// Whether the label is also shown in a small picture.
        var isMain: Bool
        /// The value of SVG's `text-anchor` for the label.
        var anchor = "middle"
    }

    /// A marked point of the curve with its label.
    struct Mark: Hashable, Sendable {
        var x: Int
        var y: Int
        var label: String
        /// The value of SVG's `text-anchor` for the label.
        var anchor: String
        var labelX: Int
        var labelY: Int
    }

    static let left = 52
    static let right = 620
    static let top = 16
    static let bottom = 236

    /// The curve, as the value of SVG's `d`.
    let path: String
    /// The curve closed along the time axis, to be filled.
    let area: String
    /// The grid lines of the time axis.
    let times: [Line]
    /// The grid lines of the share axis.
    let shares: [Line]
    /// The points of the median and of the 90th percentile.
    let marks: [Mark]

    /// The possible grid lines of the time axis; `lag` is in milliseconds.
    private static let ticks: [(lag: Double, label: String, isMain: Bool)] = [
        (1, "1 ms", true), (10, "10 ms", false), (100, "0.1 s", true), (1_000, "1 s", true),
        (10_000, "10 s", false), (60_000, "1 min", true), (600_000, "10 min", false),
        (3_600_000, "1 h", true),
        (21_600_000, "6 h", false), (86_400_000, "1 day", true), (259_200_000, "3 days", false),
        (2_592_000_000, "30 days", true), (31_536_000_000, "1 year", true),
    ]

    /// Computes the curve of some statistics; nil if no lag is known.
    init?(_ statistics: PushStatisticsRecord) {
        let points = Self.points(of: statistics.lag.sketch)
        guard let first = points.first, let last = points.last else { return nil }
        let from = Self.ticks.lastIndex { $0.lag <= max(1, first.lag) } ?? 0
        let to = Self.ticks.firstIndex { $0.lag >= last.lag && $0.lag > Self.ticks[from].lag }
        let shown = Self.ticks[from...max(from, to ?? Self.ticks.count - 1)]
        let axis = Axis(from: shown.first?.lag ?? 1, to: shown.last?.lag ?? 1)
        let total = statistics.lag.sketch.total
        let corners = points.map { (x: axis.place($0.lag), y: Self.height($0.count, of: total)) }
        // The curve begins at 0 before the first arrival and stays at its height after the last one.
        let path =
            "M\(Self.left) \(Self.bottom)" + corners.map { "L\($0.x) \($0.y)" }.joined() + "H\(Self.right)"
        self.path = path
        self.area = path + "V\(Self.bottom)H\(Self.left)Z"
        self.times = Self.times(shown.map { (axis.place($0.lag), $0.label, $0.isMain) })
        self.shares = stride(from: 0, through: 100, by: 25).map {
            Line(place: Self.height(Int64($0), of: 100), label: "\($0) %", isMain: true)
        }
        self.marks = [(statistics.lag.p50MS, 50, "half"), (statistics.lag.p90MS, 90, "90 %")]
            .compactMap { lag, percent, words in
                lag.map {
                    Self.mark(at: axis.place(Double($0)), percent, "\(words) within \(LagText.text($0))")
                }
            }
    }

    /// Returns the corners of the curve: the limits of every bucket that holds arrivals, with the number of
    /// arrivals whose lag is not longer. Lags are in milliseconds.
    private static func points(of sketch: LagSketch) -> [(lag: Double, count: Int64)] {
        var points: [(lag: Double, count: Int64)] = []
        var sum: Int64 = 0
        for bucket in sketch.buckets {
            let start = bucket.index == 0 ? 0 : Double(LagSketch.limit(of: bucket.index - 1))
            if points.last?.lag != start { points.append((start, sum)) }
            sum += bucket.count
            points.append((Double(LagSketch.limit(of: bucket.index)), sum))
        }
        return points
    }

    /// A logarithmic time axis; `from` and `to` are in milliseconds.
    private struct Axis {
        var from: Double
        var to: Double

        /// Returns the x coordinate of a lag. Lags beyond the axis are moved to its ends.
        func place(_ lag: Double) -> Int {
            let part = log(max(lag, self.from) / self.from) / log(self.to / self.from)
            return LagCurve.left
                + Int((min(1, max(0, part)) * Double(LagCurve.right - LagCurve.left)).rounded())
        }
    }

    /// Returns the y coordinate of a share.
    private static func height(_ count: Int64, of total: Int64) -> Int {
        self.bottom - Int((Double(count) / Double(total) * Double(self.bottom - self.top)).rounded())
    }

    /// The space that a label on the time axis needs.
    private static let labelWidth = 50

    /// Returns the grid lines of the time axis. A label is left out if it would overlap the label before it,
    /// or if it is not a main one and would overlap the next.
    private static func times(_ ticks: [(place: Int, label: String, isMain: Bool)]) -> [Line] {
        var lines: [Line] = []
        var labelled = Int.min / 2
        for (number, tick) in ticks.enumerated() {
            var line = Line(place: tick.place, label: tick.label, isMain: tick.isMain)
            let following = ticks.dropFirst(number + 1).first
            let isCrowded =
                tick.place - labelled < Self.labelWidth
                || (!tick.isMain && following.map { $0.place - tick.place < Self.labelWidth } == true)
            if isCrowded { line.label = "" } else { labelled = tick.place }
            // The last label ends at its line, so that it stays inside the picture.
            if number == ticks.count - 1 { line.anchor = "end" }
            lines.append(line)
        }
        return lines
    }

    /// Returns a marked point. Its label stands below and to the right, where the curve is not; in the right
    /// part of the picture it stands above and to the left, because there is no room.
    private static func mark(at x: Int, _ percent: Int64, _ label: String) -> Mark {
        let y = Self.height(percent, of: 100)
        let isLate = x > (Self.left + Self.right) * 3 / 5
        return Mark(
            x: x,
            y: y,
            label: label,
            anchor: isLate ? "end" : "start",
            labelX: isLate ? x - 10 : x + 10,
            labelY: isLate ? y - 8 : y + 20
        )
    }
}
