import WireFormats

/// Numbers and times as people read them.
enum Words {
    /// How long ago: `12 s`, `5 min`, `3 h`, `2 d`.
    static func age(_ milliseconds: Int64, now: Int64) -> String {
        let (span, overflows) = now.subtractingReportingOverflow(milliseconds)
        // A record may be dated as its publisher likes.
        let seconds = overflows ? 0 : max(0, span / 1_000)
        switch seconds {
        case ..<100: return "\(seconds) s"
        case ..<6_000: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// RFC 3339 in UTC, to the second.
    static func time(_ milliseconds: Int64) -> String { RFC3339.string(milliseconds / 1_000 * 1_000) }

    static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// Eight heights of a bar for each number, the largest being the highest.
    static func sparkline(_ numbers: [Int]) -> String {
        let largest = max(1, numbers.max() ?? 1)
        let bars = Array("▁▂▃▄▅▆▇█")
        return String(numbers.map { $0 == 0 ? " " : bars[min(7, $0 * 8 / (largest + 1))] })
    }

    static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}
