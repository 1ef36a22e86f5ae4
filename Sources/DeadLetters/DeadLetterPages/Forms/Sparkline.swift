import WebPages

/// The letters of a day as 24 bars: the data of an SVG path in a box of 96 by 24.
struct Sparkline: Sendable {
    static let width = 96
    static let height = 24
    /// The value of the attribute `d` of the SVG path.
    let path: String
    /// The bars in words, for screen readers.
    let words: String

    /// Draws the bars.
    ///
    /// - Parameter hours: the numbers of letters by hour, the oldest first; each becomes one bar.
    init(_ hours: [Int]) {
        let peak = max(1, hours.max() ?? 1)
        let step = Self.width / max(1, hours.count)
        var path = ""
        for (place, count) in hours.enumerated() where count > 0 {
            // Every hour with a letter gets a bar of at least 2 units, so that it can be seen.
            let bar = max(2, Int((Double(count) / Double(peak) * Double(Self.height)).rounded()))
            path += "M\(place * step) \(Self.height)v-\(bar)h\(max(1, step - 1))v\(bar)z"
        }
        self.path = path
        let total = hours.reduce(0, +)
        self.words =
            total == 0
            ? "none in the last day"
            : "\(Shown.number(total)) in the last day, at most \(Shown.number(peak)) in an hour, "
                + "\(Shown.number(hours.last ?? 0)) in this one"
    }
}
