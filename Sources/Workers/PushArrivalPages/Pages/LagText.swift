/// The text of a lag, with no more digits than are useful.
enum LagText {
    static func text(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1_000: "\(max(0, milliseconds)) ms"
        case ..<10_000: Self.decimal(milliseconds, by: 1_000) + " s"
        case ..<60_000: "\(milliseconds / 1_000) s"
        case ..<3_600_000: Self.pair(milliseconds, 60_000, name: "min", lesser: 1_000, lesserName: "s")
        case ..<86_400_000: Self.pair(milliseconds, 3_600_000, name: "h", lesser: 60_000, lesserName: "min")
        default:
            Self.pair(
                milliseconds,
                86_400_000,
                name: milliseconds < 172_800_000 ? "day" : "days",
                lesser: 3_600_000,
                lesserName: "h"
            )
        }
    }

    /// From this number of units on, the smaller unit is left out.
    private static let exactUnits: Int64 = 10

    /// Returns a number with one decimal, which is left out if it is 0.
    private static func decimal(_ milliseconds: Int64, by unit: Int64) -> String {
        let tenths = milliseconds / (unit / 10)
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns a time in two units. The smaller one is left out if it is 0 or the larger one is at least
    /// `exactUnits`.
    private static func pair(
        _ milliseconds: Int64,
        _ unit: Int64,
        name: String,
        lesser: Int64,
        lesserName: String
    ) -> String {
        let rest = milliseconds / unit < self.exactUnits ? milliseconds % unit / lesser : 0
        return "\(milliseconds / unit) \(name)" + (rest == 0 ? "" : " \(rest) \(lesserName)")
    }
}
