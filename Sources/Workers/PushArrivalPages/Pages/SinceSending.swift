import WebPages
import WireFormats

/// The arrivals of a message by minute and by hour since they were sent, as charts with their numbers.
struct SinceSending: Sendable {
    struct Row: Sendable {
        var label: String
        var count: String
        var share: String
    }

    /// One chart.
    struct Part: Sendable {
        var name: String
        var heading: String
        var chart: BarChart
        /// The description of the chart for screen readers.
        var words: String
        var note: String
        var rows: [Row]
    }

    /// The charts; a chart without arrivals is left out.
    let parts: [Part]

    private static let minute: Int64 = 60_000
    private static let hours = 72

    /// Makes the charts; nil if no time of sending is known.
    init?(_ sketch: LagSketch) {
        let total = sketch.total
        guard total > 0 else { return nil }
        let minutes = Self.part(
            "minutes",
            "By minute, in the first hour",
            bins: LagBins(sketch, length: Self.minute, number: 60),
            of: total,
            label: { $0 % 10 == 0 ? "\($0) min" : nil },
            row: { "minute \($0 + 1)" }
        )
        let hours = Self.part(
            "hours",
            "By hour, in three days",
            bins: LagBins(sketch, length: 60 * Self.minute, number: Self.hours),
            of: total,
            label: { $0 % 12 == 0 ? "\($0) h" : nil },
            row: { "hour \($0 + 1)" }
        )
        self.parts = [minutes, hours].compactMap(\.self)
        guard !self.parts.isEmpty else { return nil }
    }

    private static func part(
        _ name: String,
        _ heading: String,
        bins: LagBins,
        of total: Int64,
        label: (Int) -> String?,
        row: (Int) -> String
    ) -> Part? {
        guard let chart = BarChart(bins.counts, label: label) else { return nil }
        let inside = total - bins.later
        let later =
            bins.later == 0 ? "" : ", and \(Shown.number(Int(bins.later))) later"
        let last = (bins.counts.lastIndex { $0 > 0 } ?? 0) + 1
        return Part(
            name: name,
            heading: heading,
            chart: chart,
            words:
                "Arrivals \(heading.prefix(1).lowercased() + heading.dropFirst()). The table has the numbers.",
            note: "\(Shown.count(Int(inside), "arrival"))\(later).",
            rows: bins.counts.prefix(last).enumerated().map { bin, count in
                Row(label: row(bin), count: Shown.number(Int(count)), share: Share.text(count, of: total))
            }
        )
    }
}
