import WireFormats

/// Numbers and times as people read them.
enum Words {
    /// Returns the time since a moment: `12 s`, `5 min`, `3 h`, `2 d`. A moment in the future counts as now.
    static func age(_ milliseconds: Int64, now: Int64) -> String {
        let (span, overflows) = now.subtractingReportingOverflow(milliseconds)
        // The publisher of a record may set any time, so the difference may overflow.
        let seconds = overflows ? 0 : max(0, span / 1_000)
        switch seconds {
        case ..<100: return "\(seconds) s"
        case ..<6_000: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// Returns a time in UTC, to the second, by RFC 3339.
    static func time(_ milliseconds: Int64) -> String { RFC3339.string(milliseconds / 1_000 * 1_000) }

    /// Returns a share from 0 to 1 in percent, with one decimal place.
    static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// Returns one bar for each number, in eight heights; the largest number has the highest bar, and 0 a
    /// space.
    static func sparkline(_ numbers: [Int]) -> String {
        let largest = max(1, numbers.max() ?? 1)
        let bars = Array("▁▂▃▄▅▆▇█")
        return String(numbers.map { $0 == 0 ? " " : bars[min(7, $0 * 8 / (largest + 1))] })
    }

    /// Returns a number with its noun: `1 letter`, `2 letters`.
    static func count(_ count: Int, _ one: String, plural many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}
