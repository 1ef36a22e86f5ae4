/// A reader for the times in Apple's receipts, in answers about them, and in signed data.
enum ReceiptDate {
    /// Reads RFC 3339, with or without the colon in the offset from UTC: Xcode writes `+0100`.
    static func milliseconds(_ text: [UInt8]) -> Int64? {
        var bytes = text
        let offset = bytes.suffix(5)
        if bytes.count >= 24, let sign = offset.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            offset.dropFirst().allSatisfy(\.isDigit)
        {
            bytes.insert(UInt8(ascii: ":"), at: bytes.count - 2)
        }
        return RFC3339.milliseconds(bytes)
    }

    /// Reads any spelling that has been seen: RFC 3339, or date, time and zone with spaces between
    /// (`2013-01-01 00:00:00 Etc/GMT`, `America/Los_Angeles`, `+0000`).
    static func milliseconds(spelt text: String) -> Int64? {
        guard text.utf8.count <= 512 else { return nil }
        let parts = text.split(whereSeparator: \.isWhitespace)
        guard parts.count == 3 else {
            return parts.count == 1 ? self.milliseconds(Array(parts[0].utf8)) : nil
        }
        switch parts[2] {
        case "Etc/GMT", "Etc/UTC", "GMT", "UTC", "Z": return RFC3339.milliseconds("\(parts[0])T\(parts[1])Z")
        case "America/Los_Angeles":
            return RFC3339.milliseconds("\(parts[0])T\(parts[1])Z").flatMap(Self.pacific)
        default: return self.milliseconds(Array("\(parts[0])T\(parts[1])\(parts[2])".utf8))
        }
    }

    private static let hour: Int64 = 3_600_000

    /// Converts the time of a clock in Los Angeles, read as if it were UTC, to UTC. The hour that occurs
    /// twice in autumn counts as its first occurrence. Nil before 2007: the rules of summer time were
    /// different, and there was no store.
    private static func pacific(_ local: Int64) -> Int64? {
        let days = Int(local / (24 * self.hour))
        let year = CivilDate(daysSince1970: days).year
        guard local >= 0, year >= 2007,
            let start = self.sunday(2, month: 3, of: year), let end = self.sunday(1, month: 11, of: year)
        else { return nil }
        let isSummer = (start + 2 * self.hour..<end + 2 * self.hour).contains(local)
        return local + (isSummer ? 7 : 8) * self.hour
    }

    /// Returns midnight of the n-th Sunday of a month, in milliseconds since 1970.
    private static func sunday(_ number: Int, month: Int, of year: Int) -> Int64? {
        guard let first = CivilDate(year: year, month: month, day: 1)?.daysSince1970 else { return nil }
        // 1970-01-01 was a Thursday.
        let untilSunday = (10 - first % 7) % 7
        return Int64(first + untilSunday + 7 * (number - 1)) * 24 * self.hour
    }
}

/// A time that one of Apple's documents may state.
enum StatedTime: Hashable {
    case absent
    /// The time in milliseconds since 1970.
    case at(Int64)
    /// The time is stated, but cannot be read.
    case unreadable

    var milliseconds: Int64? {
        if case .at(let time) = self { time } else { nil }
    }
}

extension JSONObject {
    /// Returns a time from the first of these members that can be read: milliseconds as a number or in a
    /// text, or a text with a date. Null and an empty text count as absent.
    func time(_ names: String...) -> StatedTime {
        var isThere = false
        for name in names {
            guard let value = self.value(name) else { continue }
            guard value.first == UInt8(ascii: "\"") else {
                if let number = self.number(name) { return .at(number) }
                isThere = true
                continue
            }
            let text = (self.string(name) ?? "").utf8
            let trimmed = Array(text).trimmingWhiteSpace()
            guard !trimmed.isEmpty else { continue }
            if let time = Self.milliseconds(trimmed) { return .at(time) }
            isThere = true
        }
        return isThere ? .unreadable : .absent
    }

    private static func milliseconds(_ text: ArraySlice<UInt8>) -> Int64? {
        self.number(text) ?? ReceiptDate.milliseconds(spelt: String(decoding: text, as: UTF8.self))
    }
}
