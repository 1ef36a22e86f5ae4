import WireFormats

/// Writes numbers and times as the pages show them.
package enum Shown {
    /// Returns a number with a comma between groups of three digits.
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

    /// Returns a number with its noun: `1 letter`, `2 letters`.
    package static func count(_ number: Int, _ one: String, plural many: String? = nil) -> String {
        "\(Self.number(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// Returns a time in UTC, to the second: `2026-01-31 09:30:05 UTC`. A time outside of the years of RFC
    /// 3339 is shown in milliseconds.
    ///
    /// - Parameter milliseconds: since 1970.
    package static func time(_ milliseconds: Int64) -> String {
        guard RFC3339.range.contains(milliseconds) else { return "\(milliseconds) ms" }
        let text = RFC3339.string(milliseconds)
        return text.prefix(19).replacing("T", with: " ") + " UTC"
    }

    /// Returns a time for the attribute `datetime` (RFC 3339); empty outside of its years.
    ///
    /// - Parameter milliseconds: since 1970.
    package static func machineTime(_ milliseconds: Int64) -> String {
        RFC3339.range.contains(milliseconds) ? RFC3339.string(milliseconds) : ""
    }

    /// Returns how long ago a time was, or in how much time it will be: `5 min ago`, `just now`, `in 2 h`.
    ///
    /// - Parameters:
    ///   - milliseconds: the time, since 1970.
    ///   - now: the present time in milliseconds since 1970.
    package static func ago(_ milliseconds: Int64, now: Int64) -> String {
        let (span, overflows) = now.subtractingReportingOverflow(milliseconds)
        if overflows { return "at an odd time" }
        if span < 0 {
            return span > -60_000 ? "just now" : "in \(Self.span(Int64(clamping: span.magnitude)))"
        }
        return span < 1_000 ? "just now" : "\(Self.span(span)) ago"
    }

    /// Returns a period of milliseconds in seconds, minutes, hours or days.
    package static func span(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return Self.count(Int(clamping: seconds / 86_400), "day")
        }
    }

    /// Returns a size in bytes, kB (1,000 bytes) or MB.
    package static func bytes(_ count: Int) -> String {
        switch count {
        case ..<10_000: Self.count(count, "byte")
        case ..<10_000_000: "\(Self.number(count / 1_000)) kB"
        default: "\(Self.number(count / 1_000_000)) MB"
        }
    }

    /// Returns a share from 0 to 1 in percent; empty for a number outside of that range.
    package static func percent(_ share: Double) -> String {
        guard share.isFinite, 0...1 ~= share else { return "" }
        if share > 0, share < 0.01 { return "<1 %" }
        return "\(Int((share * 100).rounded())) %"
    }
}
