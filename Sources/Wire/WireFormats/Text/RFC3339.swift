/// Times of RFC 3339, such as `2026-11-21T08:00:00.250Z`, from and to wall-clock milliseconds since 1970.
package enum RFC3339 {
    /// The times that a year of four digits can express: from 0001-01-01 to the end of 9999.
    package static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Returns the time in UTC, with three decimals unless they are zeros. A time beyond the range is moved
    /// to its nearer end.
    package static func string(_ milliseconds: Int64) -> String {
        var text: [UInt8] = []
        self.append(milliseconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    static func append(_ milliseconds: Int64, to text: inout [UInt8]) {
        let time = Int(min(max(milliseconds, self.range.lowerBound), self.range.upperBound))
        let millisecondOfDay = (time % 86_400_000 + 86_400_000) % 86_400_000
        let date = CivilDate(daysSince1970: (time - millisecondOfDay) / 86_400_000)
        self.append(date.year, digits: 4, then: "-", to: &text)
        self.append(date.month, digits: 2, then: "-", to: &text)
        self.append(date.day, digits: 2, then: "T", to: &text)
        self.append(millisecondOfDay / 3_600_000, digits: 2, then: ":", to: &text)
        self.append(millisecondOfDay / 60_000 % 60, digits: 2, then: ":", to: &text)
        let millisecond = millisecondOfDay % 1_000
        self.append(millisecondOfDay / 1_000 % 60, digits: 2, then: millisecond == 0 ? "Z" : ".", to: &text)
        if millisecond != 0 {
            self.append(millisecond, digits: 3, then: "Z", to: &text)
        }
    }

    /// Reads a time of RFC 3339; nil for any other text. Decimals beyond the third are dropped, and a leap
    /// second counts as the first instant of the next minute.
    package static func milliseconds(_ text: String) -> Int64? {
        self.milliseconds(Array(text.utf8))
    }

    package static func milliseconds(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count >= 20,
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10].uppercased == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            let year = bytes[0..<4].decimal(as: Int.self), year >= 1,
            let month = bytes[5..<7].decimal(as: Int.self),
            let day = bytes[8..<10].decimal(as: Int.self),
            let date = CivilDate(year: year, month: month, day: day),
            let hour = bytes[11..<13].decimal(as: Int.self), hour <= 23,
            let minute = bytes[14..<16].decimal(as: Int.self), minute <= 59,
            let second = bytes[17..<19].decimal(as: Int.self), second <= 60
        else { return nil }

        var rest = bytes[19...]
        var millisecond = 0
        if rest.first == UInt8(ascii: ".") {
            let decimals = rest.dropFirst().prefix { $0.isDigit }
            guard !decimals.isEmpty else { return nil }
            let padded = decimals.prefix(3) + Array(repeating: UInt8(ascii: "0"), count: 2)
            millisecond = padded.prefix(3).decimal(as: Int.self) ?? 0
            rest = rest[decimals.endIndex...]
        }
        guard let offset = self.minutesEastOfUTC(rest) else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute - offset) * 60 + second
        let milliseconds = Int64(seconds) * 1_000 + Int64(millisecond)
        return self.range.contains(milliseconds) ? milliseconds : nil
    }

    /// Reads the form that `string` writes, without a copy; nil for every other form, valid or not. The speed
    /// matters where a million records are read, with three such headers each.
    package static func milliseconds(inUTC text: ArraySlice<UInt8>) -> Int64? {
        let hasDecimals = text.count == 24
        guard hasDecimals || text.count == 20, text.last == UInt8(ascii: "Z") else { return nil }
        let start = text.startIndex
        func number(_ from: Int, _ count: Int) -> Int? {
            var number = 0
            for byte in text[(start + from)..<(start + from + count)] {
                guard byte.isDigit else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return number
        }
        guard text[start + 4] == UInt8(ascii: "-"), text[start + 7] == UInt8(ascii: "-"),
            text[start + 10] == UInt8(ascii: "T"), text[start + 13] == UInt8(ascii: ":"),
            text[start + 16] == UInt8(ascii: ":"), !hasDecimals || text[start + 19] == UInt8(ascii: "."),
            let year = number(0, 4), year >= 1, let month = number(5, 2), let day = number(8, 2),
            let date = CivilDate(year: year, month: month, day: day),
            let hour = number(11, 2), hour <= 23, let minute = number(14, 2), minute <= 59,
            let second = number(17, 2), second <= 59,
            let millisecond = hasDecimals ? number(20, 3) : 0
        else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
        return Int64(seconds) * 1_000 + Int64(millisecond)
    }

    private static func minutesEastOfUTC(_ text: ArraySlice<UInt8>) -> Int? {
        if text.count == 1, text.first?.uppercased == UInt8(ascii: "Z") { return 0 }
        let text = Array(text)
        guard text.count == 6, text[3] == UInt8(ascii: ":"),
            text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
            let hours = text[1..<3].decimal(as: Int.self), hours <= 23,
            let minutes = text[4..<6].decimal(as: Int.self), minutes <= 59
        else { return nil }
        return (hours * 60 + minutes) * (text[0] == UInt8(ascii: "-") ? -1 : 1)
    }

    private static func append(
        _ number: Int,
        digits: Int,
        then separator: Unicode.Scalar,
        to text: inout [UInt8]
    ) {
        var divisor = digits == 4 ? 1_000 : digits == 3 ? 100 : 10
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(ascii: separator))
    }
}
