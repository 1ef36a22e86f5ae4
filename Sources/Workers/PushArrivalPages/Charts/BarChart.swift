/// A chart of bars side by side, as parts of an SVG of 640 by 200 units.
struct BarChart: Hashable, Sendable {
    struct Bar: Hashable, Sendable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    /// A grid line or a mark of an axis with its label.
    struct Line: Hashable, Sendable {
        /// The position along the axis.
        var place: Int
        var label: String
        /// The value of SVG's `text-anchor` for the label.
        var anchor = "middle"
    }

    static let left = 60
    static let right = 630
    static let top = 14
    static let bottom = 160

    /// The bars whose count is not 0.
    let bars: [Bar]
    let counts: [Line]
    let times: [Line]

    /// Computes the chart; nil if there is nothing to draw.
    ///
    /// - Parameter label: returns the label of the start of a bin; nil for a bin without one. The end of the
    ///   last bin is asked for, too.
    init?(_ counts: [Int64], label: (Int) -> String?) {
        guard let most = counts.max(), most > 0 else { return nil }
        let top = Self.roundedUp(most)
        func x(_ bin: Int) -> Int {
            Self.left + (Self.right - Self.left) * bin / counts.count
        }
        func height(_ count: Double) -> Int {
            Int((count / top * Double(Self.bottom - Self.top)).rounded())
        }
        self.bars = counts.enumerated().compactMap { bin, count in
            guard count > 0 else { return nil }
            // A count above 0 always gets a visible bar, and neighbours do not touch.
            let height = max(1, height(Double(count)))
            return Bar(
                x: x(bin),
                y: Self.bottom - height,
                width: max(1, x(bin + 1) - x(bin) - 1),
                height: height
            )
        }
        self.counts = [0, 0.5, 1].map {
            Line(place: Self.bottom - height(top * $0), label: Self.short(top * $0))
        }
        self.times = (0...counts.count).compactMap { bin in
            label(bin).map {
                Line(place: x(bin), label: $0, anchor: bin == counts.count ? "end" : "middle")
            }
        }
    }

    /// Returns the next of the numbers 2, 4, 10, 20, 40, 100, …: half of each is whole.
    private static func roundedUp(_ count: Int64) -> Double {
        var unit = 1.0
        while Double(count) > unit * 10 { unit *= 10 }
        return [2, 4, 10].map { $0 * unit }.first { Double(count) <= $0 } ?? unit * 10
    }

    /// Returns a number with at most five characters: `500`, `20 k`, `20 M`.
    private static func short(_ number: Double) -> String {
        for (unit, name) in [(1e18, " E"), (1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")]
        {
            guard number >= unit else { continue }
            let unit = name == " k" ? 1e3 : unit
            return "\(Int((number / unit).rounded()))\(name)"
        }
        return "\(Int(number))"
    }
}
