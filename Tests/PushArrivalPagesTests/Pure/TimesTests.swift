import Foundation
import Testing
import WebPages
import WireFormats
import WireMessages

@testable import PushArrivalPages

/// Arrivals over time: since sending, by hour of a day, and week against week.
struct TimesTests {
    /// 2026-09-21, 00:00 UTC, a Monday; `PageReader.now` is 14:13 on that day.
    private static let today: Int64 = 1_789_948_800_000
    private static let day = HourlyArrivals.millisecondsOfDay

    private static func message(
        _ id: String,
        _ hours: [(back: Int64, hour: Int64, count: Int64)],
        campaign: String = "",
        more: Int64 = 0
    ) -> PushStatistics {
        var message = PushStatistics()
        (message.messageID, message.window, message.campaignID) = (id, "cohort", campaign)
        for (back, hour, count) in hours {
            message.arrivalHour.append(Int32((Self.today - back * Self.day) / 3_600_000 + hour))
            message.arrivalHourCount.append(count)
        }
        message.arrived = message.arrivalHourCount.reduce(more, +)
        message.updatedMs = PageReader.now - 1_000
        return message
    }

    private static let messages = [
        message("a", [(13, 5, 40), (7, 9, 100), (6, 9, 30), (1, 0, 6), (0, 9, 150)], campaign: "spring"),
        message("b", [(20, 5, 9_000), (8, 23, 50), (0, 9, 50), (0, 14, 7)], more: 11),
    ]

    private static func words(_ query: String) throws -> String {
        PageReader.words(PageReader.page("/time", query, of: try PageReader.pages(Self.messages)))
    }

    // MARK: A day and a week

    @Test func aDayStandsBesideTheSameDayAWeekBefore() throws {
        let words = try Self.words("")
        for text in [
            "09:00 200 100 +100.0 %", "00:00 0 0 –", "14:00 so far 7 0 –", "15:00 to come – 0 –",
            "On this day, so far 207 100 in all a week before",
            "In no hour: 11 arrivals from before hours were kept",
            "Arrivals by hour on 2026-09-21, and a week before", "From 2 messages of this dashboard.",
        ] { #expect(words.contains(text), "\(text)") }
    }

    @Test func aWeekStandsBesideTheWeekBeforeByWholeDays() throws {
        let words = try Self.words("")
        for text in [
            "Tue 2026-09-15 30 40 −25.0 %", "Sun 2026-09-20 6 50 −88.0 %", "Mon 2026-09-21 so far 207 100 –",
            "In its week, 6 whole days 36 90 in the week before",
            "Against the week before −60.0 % by whole days",
        ] { #expect(words.contains(text), "\(text)") }
        let before = try Self.words("day=2026-09-14")
        #expect(before.contains("On this day 100 0 in all a week before"))
        #expect(before.contains("In its week, 7 whole days 190 9,000 in the week before"))
    }

    @Test func messagesAreChosenAsInTheList() throws {
        #expect(try Self.words("campaign=spring").contains("09:00 150 100 +50.0 %"))
        #expect(try Self.words("campaign=none").contains("No message is like that."))
        let page = PageReader.page(
            "/time",
            "campaign=spring",
            of: try PageReader.pages(Self.messages)
        )
        #expect(page.contains("href=\"/time?campaign=spring&amp;day=2026-09-20\">Day before"))
        #expect(page.contains("href=\"/api/v1/arrivals?campaign=spring&amp;day=2026-09-21\""))
    }

    @Test(arguments: ["day=yesterday", "day=2026-02-30", "day=0001-01-05", "day=9999-12-30"])
    func aDayThatCannotBeReadIsNamed(query: String) throws {
        #expect(try Self.words(query).contains("The field day is no day of the form 2026-01-31."))
        let answer = PageReader.get("/api/v1/arrivals", query, of: try PageReader.pages(Self.messages))
        #expect(answer.status == .badRequest)
    }

    @Test func theAPIHasEachHourOfTwoWeeks() throws {
        let answer = PageReader.get("/api/v1/arrivals", "", of: try PageReader.pages(Self.messages))
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        )
        let hours = try #require(document["hours"] as? [[String: Any]])
        // Thirteen days, and fifteen hours of this one.
        #expect(hours.count == 13 * 24 + 15 && document["withoutHour"] as? Int == 11)
        #expect(hours.first?["startsAt"] as? String == "2026-09-08T00:00:00Z")
        #expect(hours.last?["over"] as? Bool == false && hours.last?["arrivals"] as? Int == 7)
        // The 9,000 arrivals of three weeks ago are not among them.
        #expect(hours.compactMap { $0["arrivals"] as? Int }.reduce(0, +) == 433)
    }

    // MARK: Since sending

    @Test func binsAddUpToAllArrivals() {
        // 1.04^250 is 18 s, 1.04^300 is 128 s, 1.04^400 is 108 min.
        let buckets: [(index: Int, count: Int64)] = [
            (0, 2), (250, 10), (300, 5), (400, 1_000), (LagSketch.lastIndex, 3),
        ]
        let sketch = LagSketch(buckets)
        let minutes = LagBins(sketch, length: 60_000, number: 60)
        #expect(Array(minutes.counts.prefix(4)) == [12, 0, 5, 0] && minutes.later == 1_003)
        let hours = LagBins(sketch, length: 3_600_000, number: 72)
        #expect(Array(hours.counts.prefix(3)) == [17, 1_000, 0] && hours.later == 3)
        // A bucket that reaches over several minutes is spread over them.
        let spread = LagBins(sketch, length: 60_000, number: 120).counts
        #expect(spread.reduce(0, +) == 1_017 && spread[105...107].allSatisfy { 235...245 ~= $0 })
        let late = LagBins(LagSketch(buckets.suffix(1)), length: 1, number: 10)
        #expect(late.counts == [Int64](repeating: 0, count: 10) && late.later == 3)
    }

    @Test func theLargestCountsBreakNothing() {
        let sketch = LagSketch((0...LagSketch.lastIndex).map { (index: $0, count: 1 << 53) })
        let bins = LagBins(sketch, length: 60_000, number: 60)
        #expect(bins.counts.allSatisfy { $0 >= 0 } && bins.later > 0)
        #expect(BarChart([.max, 1, 0], label: { _ in nil })?.bars.map(\.height) == [135, 1])
    }

    @Test func barsStayInTheirBox() throws {
        let chart = try #require(BarChart([3, 0, 1, 8], label: { $0 % 2 == 0 ? "\($0)" : nil }))
        #expect(chart.bars.count == 3 && chart.counts.map(\.label) == ["0", "5", "10"])
        #expect(chart.times.map(\.label) == ["0", "2", "4"] && chart.times.last?.anchor == "end")
        for bar in chart.bars {
            #expect(bar.x >= BarChart.left && bar.x + bar.width <= BarChart.right)
            #expect(bar.y >= BarChart.top && bar.y + bar.height == BarChart.bottom)
        }
        #expect(BarChart([0, 0], label: { _ in nil }) == nil)
        #expect(BarChart([150_000], label: { _ in nil })?.counts.map(\.label) == ["0", "100 k", "200 k"])
    }

    @Test func aMessageShowsItsMinutesAndHours() throws {
        let message = Samples.message(updatedAt: PageReader.now)
        let pages = try PageReader.pages([message])
        let page = PageReader.page("/message", PageReader.address(message), of: pages)
        let words = PageReader.words(page)
        #expect(words.contains("By minute, in the first hour") && words.contains("By hour, in three days"))
        #expect(page.contains("<details id=\"d-minutes\">") && words.contains("minute 60"))
    }
}
