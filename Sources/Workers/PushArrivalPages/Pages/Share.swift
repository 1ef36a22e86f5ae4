import WebPages
import WireFormats

/// The text of a share, such as `82.1 %`.
enum Share {
    /// The text for a share whose whole is 0, and for a value that is unknown.
    static let none = "–"

    static func text(_ rate: Double?) -> String {
        guard let rate, rate.isFinite, rate >= 0 else { return Self.none }
        let tenths = rate * 1_000
        if rate > 0, tenths < 1 { return "<0.1 %" }
        // "100.0 %" is reserved for the whole; a share just below it must not be rounded up.
        if rate < 1, tenths > 999 { return ">99.9 %" }
        guard tenths < 1e9 else { return ">1,000,000 %" }
        let whole = Int(tenths.rounded())
        return "\(Shown.number(whole / 10)).\(whole % 10) %"
    }

    static func text(_ count: Int64, of total: Int64) -> String {
        Self.text(PushStatisticsRecord.rate(count, of: total))
    }
}

/// The text of a difference of two shares.
enum Points {
    /// Returns the difference in percentage points, such as `4.2 points`; of a share, 0.042.
    static func text(_ difference: Double) -> String {
        Share.text(difference).replacing(" %", with: " points")
    }
}
