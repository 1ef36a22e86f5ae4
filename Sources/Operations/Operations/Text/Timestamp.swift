import Foundation

/// A time as log lines show it: RFC 3339 in UTC, to the millisecond.
package struct Timestamp: Hashable, Sendable, CustomStringConvertible {
    /// Milliseconds on the wall clock.
    package let millisecondsSince1970: Int64

    /// Makes a timestamp of wall-clock milliseconds.
    package init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// The present time of the wall clock.
    package static var now: Timestamp {
        Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// The text, as `2026-11-21T08:00:00.123Z`. It is composed here because a formatter costs more than the
    /// rest of the line.
    package var description: String {
        let (days, milliseconds) = Self.divided(self.millisecondsSince1970, by: 86_400_000)
        let (year, month, day) = Self.civil(days)
        let (hour, minute) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (second, fraction) = (milliseconds / 1_000 % 60, milliseconds % 1_000)
        return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
            + Self.padded(hour, 2) + ":" + Self.padded(minute, 2) + ":" + Self.padded(second, 2) + "."
            + Self.padded(fraction, 3) + "Z"
    }

    /// Converts days since 1970 to a date, by Hinnant's algorithm: its years begin in March, so that the leap
    /// day is their last day.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = Self.divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func divided(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let remainder = ((value % divisor) + divisor) % divisor
        return ((value - remainder) / divisor, remainder)
    }

    private static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
