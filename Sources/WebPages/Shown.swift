import WireFormats

/// How numbers and times are written on a page.
package enum Shown {
    package static func number(_ number: Int) -> String {
        var groups: [String] = []
        var rest = number.magnitude
        while rest >= 1_000 {
            let three = String(rest % 1_000)
            groups.append(String(repeating: "0", count: 3 - three.count) + three)
            rest /= 1_000
        }
        groups.append(String(rest))
        return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }

    /// `1 letter`, `2 letters`.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(Self.number(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// To the second, in UTC: `2026-01-31 09:30:05`.
    package static func time(_ milliseconds: Int64) -> String {
        guard RFC3339.range.contains(milliseconds) else { return "\(milliseconds) ms" }
        let text = RFC3339.string(milliseconds)
        return text.prefix(19).replacing("T", with: " ") + " UTC"
    }

    /// As a machine reads it.
    package static func machineTime(_ milliseconds: Int64) -> String {
        RFC3339.range.contains(milliseconds) ? RFC3339.string(milliseconds) : ""
    }

    package static func ago(_ milliseconds: Int64, now: Int64) -> String {
        let (span, overflows) = now.subtractingReportingOverflow(milliseconds)
        if overflows { return "at an odd time" }
        if span < 0 {
            return span > -60_000 ? "just now" : "in \(Self.span(Int64(clamping: span.magnitude)))"
        }
        return span < 1_000 ? "just now" : "\(Self.span(span)) ago"
    }

    package static func span(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return Self.count(Int(clamping: seconds / 86_400), "day")
        }
    }

    package static func bytes(_ count: Int) -> String {
        switch count {
        case ..<10_000: Self.count(count, "byte")
        case ..<10_000_000: "\(Self.number(count / 1_000)) kB"
        default: "\(Self.number(count / 1_000_000)) MB"
        }
    }

    package static func percent(_ share: Double) -> String {
        guard share.isFinite, 0...1 ~= share else { return "" }
        if share > 0, share < 0.01 { return "<1 %" }
        return "\(Int((share * 100).rounded())) %"
    }
}
