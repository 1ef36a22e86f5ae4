import WebPages

/// A day in 24 bars, as the data of an SVG path in a box of 96 by 24.
struct Sparkline: Sendable {
    static let width = 96
    static let height = 24
    let path: String
    let words: String

    /// - Parameter hours: the oldest first; as many as there are bars.
    init(_ hours: [Int]) {
        let peak = max(1, hours.max() ?? 1)
        let step = Self.width / max(1, hours.count)
        var path = ""
        for (place, count) in hours.enumerated() where count > 0 {
            // What is there at all is to be seen.
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
