import SwiftProtobuf

@testable import WireFormats

extension FuzzTarget {
    static let rfc3339 = FuzzTarget(
        "rfc3339",
        longestInput: 64,
        words: [
            "2026-11-21T08:00:00Z", "1970-01-01T00:00:00.000Z", "2024-02-29T23:59:60+08:00", ".25Z", "-00:00",
        ]
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        let theirs = try? Google_Protobuf_Timestamp(jsonString: "\"\(text)\"")
        guard let time = RFC3339.milliseconds(text) else {
            try claim("what SwiftProtobuf takes for a time, we do", theirs == nil)
            return
        }
        let written = RFC3339.string(time)
        try claim("a time is in range", RFC3339.range.contains(time))
        try claim("a time has one of two lengths", [20, 24].contains(written.utf8.count))
        try claim("what is written is read as the same", RFC3339.milliseconds(written) == time)
        let stamp = try Google_Protobuf_Timestamp(jsonString: "\"\(written)\"")
        try claim(
            "SwiftProtobuf reads what is written as the same",
            stamp == Google_Protobuf_Timestamp(milliseconds: time)
        )
        guard let theirs else { return }
        let floor = theirs.seconds * 1_000 + Int64(theirs.nanos) / 1_000_000
        try claim("SwiftProtobuf reads the same", floor == time)
    }

    static let httpDate = FuzzTarget(
        "http-date",
        longestInput: 64,
        words: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Feb", "GMT",
        ]
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let time = HTTPDate.milliseconds(text) else { return }
        try claim("a date is whole seconds", time % 1_000 == 0)
        guard RFC3339.range.contains(time) else {
            // The year 0 has four digits too.
            return try claim("a year has at most four digits", time < RFC3339.range.lowerBound)
        }
        let written = TimeClaims.httpDate(time)
        try claim("what is written is read as the same", HTTPDate.milliseconds(written) == time)
        try claim("capitals mean nothing", HTTPDate.milliseconds(text.uppercased()) == time)
    }

    /// The time now, and the header.
    static let retryAfter = FuzzTarget(
        "retry-after",
        longestInput: 96,
        words: [
            "1795248000000\n", "120", "-1", "Sat, 21 Nov 2026 08:00:05 GMT", "99999999999999999999", "Nov",
        ]
    ) { input in
        var reader = InputReader(input)
        let now: Int64 = reader.number(or: InputReader.now)
        let header = reader.remainingText()
        let delay = RetryAfter.delay(header, now: now)
        try claim("white space means nothing", RetryAfter.delay(" \(header)\t", now: now) == delay)
        if !header.isEmpty, header.utf8.allSatisfy(\.isDigit) {
            let seconds = Int64(header).map { min($0, 86_400) } ?? 86_400
            try claim("a number is seconds", delay == .seconds(seconds))
        }
        guard let delay else { return }
        try claim("nobody waits for ever", (.zero...RetryAfter.longestDelay).contains(delay))
        let later = RetryAfter.delay(header, now: now.addingReportingOverflow(1_000).partialValue)
        if now < .max - 1_000, let later { try claim("time spent is not waited for again", later <= delay) }
    }
}

private enum TimeClaims {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// As RFC 9110 wants dates written. The day of the week is any: nobody looks at it.
    static func httpDate(_ milliseconds: Int64) -> String {
        let text = RFC3339.string(milliseconds)
        let month = Int(text.dropFirst(5).prefix(2)).flatMap {
            self.months.indices.contains($0 - 1) ? $0 - 1 : nil
        }
        let (year, day, time) = (text.prefix(4), text.dropFirst(8).prefix(2), text.dropFirst(11).prefix(8))
        return "Sun, \(day) \(self.months[month ?? 0]) \(year) \(time) GMT"
    }
}
