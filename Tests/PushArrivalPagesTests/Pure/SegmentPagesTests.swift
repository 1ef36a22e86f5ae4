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
        eligible: Int64,
        early: Int64,
        late: Int64 = 0
    ) -> PushStatistics {
        let day = Self.day - back * HourlyArrivals.millisecondsOfDay
        return Samples.segment(name, by: dimension, on: day, eligible: eligible, early: early, late: late)
    }

    private static func week(_ name: String, by dimension: String = "app_version") -> [PushStatistics] {
        (1...7).map { self.segment(name, by: dimension, back: $0, eligible: 1_000, early: 700, late: 200) }
    }

    private static func trends(_ messages: [PushStatistics], _ query: String = "") throws -> [SegmentTrend] {
        let pages = try PageReader.pages(messages)
        return SegmentsQuery(FormFields(query), now: PageReader.now).trends(of: pages.board.segments)
    }

    // MARK: Arithmetic

    @Test func aDayIsJudgedWhenItsEarlyArrivalsAreKnown() {
        let (day, ripe) = (HourlyArrivals.millisecondsOfDay, SegmentDay.ripeAfter)
        #expect(TimesQuery.text(Self.day) == "2026-09-20")
        #expect(SegmentTrend.newestDay(asOf: Self.day + day + ripe) == Self.day)
        #expect(SegmentTrend.newestDay(asOf: Self.day + day + ripe - 1) == Self.day - day)
    }

    @Test(
        arguments: [
            // 70 % in the week before: ten points less are no fall yet, and eleven are.
            (10_000, 6_000, false), (10_000, 5_900, true), (10_000, 7_000, false), (10_000, 9_000, false),
            // Too few pushes, and more arrivals than pushes.
            (999, 0, false), (1_000, 0, true), (1_000, 1_001, false),
        ] as [(Int64, Int64, Bool)]
    )
    func aFallIsMoreThanTheThreshold(eligible: Int64, early: Int64, hasFallen: Bool) throws {
        let today = Self.segment("3.2.1", eligible: eligible, early: early)
        let trends = try Self.trends(Self.week("3.2.1") + [today])
        #expect(trends.count == 1 && trends.first?.hasFallen == hasFallen)
        #expect((trends.first?.sentence != nil) == hasFallen)
    }

    /// Fifteen points are much, but three standard errors of a thousand pushes at a half and of a thousand in the past are
    /// fourteen thousandths more than half of that.
    @Test func aFallIsMoreThanChanceExplains() throws {
        let past = Self.segment("3.2.1", back: 1, eligible: 1_000, early: 500)
        let trend = try #require(
            try Self.trends([past, Self.segment("3.2.1", eligible: 1_000, early: 395)]).first
        )
        // The variances of both sides add up: 0.395 × 0.605 / 1,000 and 0.5 × 0.5 / 1,000.
        #expect(abs(trend.uncertainty - 3 * (0.000_238_975 + 0.000_25).squareRoot()) < 1e-9)
        #expect(trend.change.map { abs($0 + 0.105) < 1e-9 } == true && trend.hasFallen)
    }

    /// Reports that come later than an hour belong to the day as well, and not to its rate: a day of a week ago has all of
    /// them, and yesterday has not.
    @Test func daysAreComparedByEarlyArrivals() throws {
        let trend = try #require(
            try Self.trends(Self.week("3.2.1") + [Self.segment("3.2.1", eligible: 1_000, early: 650)]).first
        )
        #expect(trend.past == SegmentTrend.Side(eligible: 7_000, early: 4_900))
        #expect(trend.now.rate == 0.65 && !trend.hasFallen)
    }

    @Test func theWeekBeforeIsThatOfTheDayThatIsAskedFor() throws {
        let old = Self.segment("3.2.1", back: 8, eligible: 5_000, early: 5_000)
        let days = Self.week("3.2.1") + [old, Self.segment("3.2.1", eligible: 400, early: 100)]
        #expect(try Self.trends(days).first?.past.eligible == 7_000)
        let before = try #require(try Self.trends(days, "day=2026-09-13").first)
        #expect(before.now.eligible == 1_000 && before.past.eligible == 5_000)
    }

    /// A new version of the app has no past of its own, so that its silence would never be seen.
    @Test func aNewVersionIsComparedWithTheOtherOnes() throws {
        let others = Self.week("3.2.1") + Self.week("17.5", by: "os_version")
        let silent = Self.segment("3.3.0", eligible: 5_000, early: 12)
        let trend = try #require(try Self.trends(others + [silent]).first { $0.segment.name == "3.3.0" })
        #expect(trend.pastIs == .ofOthers && trend.past == SegmentTrend.Side(eligible: 7_000, early: 4_900))
        #expect(trend.hasFallen && trend.sentence?.contains("at the other segments") == true)
        // Its first days are no past: a release that goes out slowly stays below the others.
        let slow = [(3, 600), (2, 700), (1, 5_000)].map { back, eligible in
            Self.segment("3.3.0", back: back, eligible: eligible, early: eligible / 120)
        }
        let later = try #require(
            try Self.trends(others + slow + [silent]).first { $0.segment.name == "3.3.0" }
        )
        #expect(later.pastIs == .ofOthers && later.hasFallen)
        // Without others it has nothing to be compared with.
        #expect(try Self.trends([silent]).first?.change == nil)
    }

    /// The hour after the last pushes of a day is not over before the day is ripe.
    @Test func aDayThatIsNotRipeHasNotFallen() throws {
        let today = Self.segment("3.2.1", back: -1, eligible: 100_000, early: 5_000)
        let days = Self.week("3.2.1") + [Self.segment("3.2.1", eligible: 1_000, early: 700), today]
        let trend = try #require(try Self.trends(days, "day=2026-09-21").first)
        #expect(trend.now.rate == 0.05 && !trend.isRipe && !trend.hasFallen && trend.sentence == nil)
    }

    /// Different segments are in `other` on different days, and a day with more arrivals than pushes says nothing.
    @Test func daysThatSayNothingAreLeftOut() throws {
        let other = Self.week("other") + [Self.segment("other", eligible: 5_000, early: 12)]
        #expect(try Self.trends(other).first?.hasFallen == false)
        let behind = Self.segment("3.2.1", back: 7, eligible: 100, early: 5_000)
        let days = Array(Self.week("3.2.1").dropLast()) + [behind]
        #expect(try Self.trends(days).first?.past == SegmentTrend.Side(eligible: 6_000, early: 4_200))
    }

    // MARK: The board

    @Test func aDayOfASegmentIsNoMessageAndTheLaterVersionHolds() throws {
        let board = StatisticsBoard(limit: 10)
        for (version, eligible) in [(2, 20), (1, 10), (3, 30)] as [(Int64, Int64)] {
            var statistics = Self.segment("3.2.1", eligible: eligible, early: 0)
            statistics.version = version
            #expect(board.take(try Samples.statistics(statistics)) == (version != 1))
        }
        #expect(board.newest.isEmpty && board.segments.map(\.eligible) == [30])
    }

    /// Days that are compared stay, however many old ones or new ones there are.
    @Test func theOldestDaysGiveWay() throws {
        let board = StatisticsBoard(limit: 10, segments: 100)
        func take(_ number: Int, back: Int64) throws -> Bool {
            let segment = Self.segment("v\(number)", back: back, eligible: 1, early: 0)
            return board.take(try Samples.statistics(segment))
        }
        for number in 0..<50 { #expect(try take(number, back: 30)) }
        for number in 0..<101 { #expect(try take(number, back: 0) == (number < 100)) }
        #expect(board.segments.count == 100 && board.segments.allSatisfy { $0.day == Self.day })
    }

    // MARK: The page and the read API

    private static let fallen =
        week("3.2.1") + week("17.5", by: "os_version") + [
            segment("3.2.1", eligible: 1_000, early: 300, late: 12),
            segment("17.5", by: "os_version", eligible: 1_000, early: 702),
            segment("17.4", by: "os_version", eligible: 12, early: 9),
            segment("<b>17.3", by: "os_version", eligible: 500, early: 501),
        ]

    @Test func thePageShowsTheArithmeticOfAFall() throws {
        let pages = try PageReader.pages(Self.fallen)
        let html = PageReader.page("/segments", of: pages)
        let words = PageReader.words(html)
        for text in [
            "app_version 3.2.1 of com.example.shop: 30.0 % of 1,000 pushes of 2026-09-20 were reported to have arrived "
                + "within an hour; in the seven days before, 70.0 % of 7,000. That is 40.0 points less, and three standard "
                + "errors are 4.6 points.",
            "By version of the app",
            "3.2.1 com.example.shop · apns · has fallen 30.0 % 70.0 % −40.0 points 1,000 312",
            "By version of iOS", "17.5 com.example.shop · apns 70.2 % 70.0 % +0.2 points 1,000 702",
            "17.4 com.example.shop · apns · too few pushes for a rate – 70.0 % – 12 9",
            "the sender&#39;s reports are behind – 70.0 % – 500 501",
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
