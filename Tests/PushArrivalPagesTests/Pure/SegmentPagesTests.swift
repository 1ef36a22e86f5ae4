import Foundation
import Logging
import Operations
import Synchronization
import Testing
import WebPages
import WireFormats
import WireMessages

@testable import PushArrivalPages

/// Segments of devices: the arrivals of a day against those of the week before, and what is told of a fall.
struct SegmentPagesTests {
    /// 2026-09-20, 00:00 UTC, the newest day that `PageReader.now` can judge.
    private static let day = SegmentTrend.newestDay(asOf: PageReader.now)

    private static func segment(
        _ name: String,
        by dimension: String = "app_version",
        back: Int64 = 0,
        accepted: Int64,
        early: Int64,
        late: Int64 = 0
    ) -> PushStatistics {
        let day = Self.day - back * HourlyArrivals.millisecondsOfDay
        return Samples.segment(name, by: dimension, on: day, accepted: accepted, early: early, late: late)
    }

    private static func week(_ name: String, by dimension: String = "app_version") -> [PushStatistics] {
        (1...7).map { self.segment(name, by: dimension, back: $0, accepted: 1_000, early: 700, late: 200) }
    }

    private static func trends(_ messages: [PushStatistics], _ query: String = "") throws -> [SegmentTrend] {
        let pages = try PageReader.pages(messages)
        return SegmentsQuery(FormFields(query), now: PageReader.now).trends(of: pages.board.segments)
    }

    // MARK: Arithmetic

    @Test func aDayIsJudgedAnHourAfterItsEnd() {
        let (day, hour) = (HourlyArrivals.millisecondsOfDay, SegmentDay.earlyLag)
        #expect(TimesQuery.text(Self.day) == "2026-09-20")
        #expect(SegmentTrend.newestDay(asOf: Self.day + day + hour) == Self.day)
        #expect(SegmentTrend.newestDay(asOf: Self.day + day + hour - 1) == Self.day - day)
    }

    @Test(
        arguments: [
            // 70 % in the week before: ten points less are no fall yet, and chance explains a little more.
            (1_000, 600, false), (1_000, 580, true), (1_000, 700, false), (1_000, 900, false),
            // Three standard errors of 110 devices are 14 points.
            (110, 66, false), (110, 61, true),
            // Too few devices, and more arrivals than a sender has told of.
            (99, 0, false), (100, 0, true), (100, 101, false),
        ] as [(Int64, Int64, Bool)]
    )
    func aFallIsMoreThanTheThresholdAndThanChance(accepted: Int64, early: Int64, hasFallen: Bool) throws {
        let today = Self.segment("3.2.1", accepted: accepted, early: early)
        let trends = try Self.trends(Self.week("3.2.1") + [today])
        #expect(trends.count == 1 && trends.first?.hasFallen == hasFallen)
        #expect((trends.first?.sentence != nil) == hasFallen)
    }

    /// Arrivals that come later than an hour after their sending belong to the day as well, and not to its rate: a day of a
    /// week ago has all of them, and yesterday has not.
    @Test func daysAreComparedByEarlyArrivals() throws {
        let trend = try #require(
            try Self.trends(Self.week("3.2.1") + [Self.segment("3.2.1", accepted: 1_000, early: 650)]).first
        )
        #expect(trend.past == SegmentTrend.Side(accepted: 7_000, early: 4_900))
        #expect(trend.now.rate == 0.65 && !trend.hasFallen)
        #expect(trend.change.map { abs($0 + 0.05) < 1e-9 } == true)
        // The variances of both sides add up: 0.65 × 0.35 / 1,000 and 0.7 × 0.3 / 7,000.
        #expect(abs(trend.uncertainty - 3 * (0.000_227_5 + 0.000_03).squareRoot()) < 1e-9)
    }

    @Test func theWeekBeforeIsThatOfTheDayThatIsAskedFor() throws {
        let old = Self.segment("3.2.1", back: 8, accepted: 5_000, early: 5_000)
        let days = Self.week("3.2.1") + [old, Self.segment("3.2.1", accepted: 400, early: 100)]
        #expect(try Self.trends(days).first?.past.accepted == 7_000)
        let before = try #require(try Self.trends(days, "day=2026-09-13").first)
        #expect(before.now.accepted == 1_000 && before.past.accepted == 5_000)
    }

    // MARK: The board

    @Test func aDayOfASegmentIsNoMessageAndTheLaterVersionHolds() throws {
        let board = StatisticsBoard(limit: 10)
        for (version, accepted) in [(2, 20), (1, 10), (3, 30)] as [(Int64, Int64)] {
            var statistics = Self.segment("3.2.1", accepted: accepted, early: 0)
            statistics.version = version
            #expect(board.take(try Samples.statistics(statistics)) == (version != 1))
        }
        #expect(board.newest.isEmpty && board.segments.map(\.accepted) == [30])
    }

    @Test func theOldestDaysGiveWay() throws {
        let board = StatisticsBoard(limit: 10)
        for number in 0..<20_004 {
            let segment = Self.segment("v\(number % 51)", back: Int64(number / 51), accepted: 1, early: 0)
            board.take(try Samples.statistics(segment))
        }
        #expect(board.segments.count <= 20_000)
        #expect(board.segments.count { $0.day == Self.day } == 51)
    }

    // MARK: The page and the read API

    private static let fallen =
        week("3.2.1") + week("17.5", by: "os_version") + [
            segment("3.2.1", accepted: 1_000, early: 300, late: 12),
            segment("17.5", by: "os_version", accepted: 1_000, early: 702),
            segment("17.4", by: "os_version", accepted: 12, early: 9),
            segment("<b>17.3", by: "os_version", accepted: 500, early: 501),
        ]

    @Test func thePageShowsTheArithmeticOfAFall() throws {
        let pages = try PageReader.pages(Self.fallen)
        let html = PageReader.page("/segments", of: pages)
        let words = PageReader.words(html)
        for text in [
            "app_version 3.2.1 of com.example.shop: on 2026-09-20, 30.0 % of 1,000 accepted devices reported the arrival "
                + "within an hour; in the seven days before, 70.0 % of 7,000. That is 40.0 points less, and three standard "
                + "errors are 4.6 points.",
            "By version of the app",
            "3.2.1 com.example.shop · apns · has fallen 30.0 % 70.0 % −40.0 points 1,000 312",
            "By version of iOS", "17.5 com.example.shop · apns 70.2 % 70.0 % +0.2 points 1,000 702",
            "17.4 com.example.shop · apns · too few devices for a rate – – – 12 9",
            "the sender&#39;s reports are behind – – – 500 501",
        ] { #expect(words.contains(text), "\(text)") }
        #expect(!html.contains("<b>17.3") && !words.contains("By country"))
        let other = PageReader.words(PageReader.page("/segments", "app=news", of: pages))
        #expect(other.contains("No sender has named the segments"))
        let odd = PageReader.page("/segments", "day=yesterday", of: pages)
        #expect(odd.contains("The field day is no day") && odd.contains("has fallen"))
    }

    @Test func theReadAPITellsTheSame() throws {
        let answer = PageReader.get("/api/v1/segments", of: try PageReader.pages(Self.fallen))
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        )
        let segments = try #require(document["segments"] as? [[String: Any]])
        #expect(document["day"] as? String == "2026-09-20" && segments.count == 4)
        let first = try #require(segments.first)
        #expect(first["segment"] as? String == "3.2.1" && first["fallen"] as? Bool == true)
        #expect(
            first["early"] as? Int == 300 && first["arrived"] as? Int == 312
                && first["pastEarly"] as? Int == 4_900
        )
        #expect((first["change"] as? Double).map { abs($0 + 0.4) < 1e-9 } == true)
    }

    // MARK: The watch

    @Test func aFallIsLoggedOnceAndCountedForItsDay() throws {
        let lines = LogLines()
        let registry = PrometheusRegistry()
        var watch = SegmentWatch(registry: registry, logger: Logger(label: "test") { _ in lines })
        let board = try PageReader.pages(Self.fallen).board
        let (minute, now) = (Int64(60_000), PageReader.now)
        for time in [now, now + minute - 1, now + minute] { watch.look(at: board, now: time) }
        #expect(
            lines.all.count == 1 && lines.all.first?.contains("app_version 3.2.1 of com.example.shop") == true
        )
        #expect(registry.exposition().contains("push_segments_fallen 1"))
        watch.look(at: board, now: now + HourlyArrivals.millisecondsOfDay)
        #expect(registry.exposition().contains("push_segments_fallen 0") && lines.all.count == 1)
        // A clock that was set back does not silence the watch.
        watch.look(at: board, now: now)
        #expect(registry.exposition().contains("push_segments_fallen 1") && lines.all.count == 2)
    }
}

/// Keeps the lines that are logged, with the sentence about a segment.
private struct LogLines: LogHandler {
    private final class Kept: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let kept = Kept()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    var all: [String] { self.kept.lines.withLock(\.self) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let segment = event.metadata?["segment"].map { "\($0)" } ?? ""
        self.kept.lines.withLock { $0.append("\(event.message): \(segment)") }
    }
}
