/// A reader of the three forms of a date in an HTTP header (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Returns milliseconds since 1970; nil if the text is not such a date. The day of the week is not
    /// checked.
    static func milliseconds(_ text: String) -> Int64? {
        let words = text.utf8.split {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-")
        }
        .map { Array($0).map(\.lowercased) }
        switch words.count {
        case 6 where words[5] == Array("gmt".utf8):
            // The preferred form and the one of RFC 850: Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94
            // 08:49:37 GMT.
            return self.milliseconds(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5:
            // The form of asctime: Sun Nov  6 08:49:37 1994.
            return self.milliseconds(day: words[2], month: words[1], year: words[4], time: words[3])
        default:
            return nil
        }
    }

    private static func milliseconds(day: [UInt8], month: [UInt8], year: [UInt8], time: [UInt8]) -> Int64? {
        let clock = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let index = self.months.firstIndex(of: String(decoding: month, as: UTF8.self)),
            let day = day.decimal(as: Int.self),
            let year = self.year(year),
            let date = CivilDate(year: year, month: index + 1, day: day),
            clock.count == 3, clock.allSatisfy({ $0.count == 2 }),
            let hour = clock[0].decimal(as: Int.self), hour <= 23,
            let minute = clock[1].decimal(as: Int.self), minute <= 59,
            let second = clock[2].decimal(as: Int.self), second <= 60
        else { return nil }
        return Int64(((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second) * 1_000
    }

    private static func year(_ digits: [UInt8]) -> Int? {
        guard let year = digits.decimal(as: Int.self) else { return nil }
        switch digits.count {
        case 4: return year
        case 2: return year < 70 ? 2_000 + year : 1_900 + year
        default: return nil
        }
    }
}
