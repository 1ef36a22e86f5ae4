import Records
import Testing
import WireFormats

@testable import DeadLetters

/// The events that are told to somebody who is not looking, each once.
@Suite(.timeLimit(.minutes(10))) struct NewsTests {
    private static let hour: Int64 = 3_600_000

    private static func kinds(_ news: [LetterNews]) -> [String] {
        news.map { "\($0.kind.rawValue) \($0.group?.reason ?? $0.subject) \($0.letters)" }.sorted()
    }

    @Test func aGroupIsNewOnce() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            try cluster.publishLetters(0..<3)
            let desk = try cluster.desk()
            try desk.refresh()
            #expect(try desk.news(growth: 100, retention: []).isEmpty, "what was there is known")
            try cluster.publish((3..<5).map { Letters.record($0, clusterID: id, reason: "gdt.-7") })
            try desk.refresh()
            let news = try desk.news(growth: 100, retention: [])
            #expect(Self.kinds(news) == ["group.new gdt.-7 2"])
            #expect(news.first?.open == 2 && news.first?.subject.hasPrefix("g-") == true)
            // Until it was told, it is told again, also by another process with the same index.
            let other = try cluster.desk()
            try other.refresh()
            #expect(try other.news(growth: 100, retention: []) == news)
            try other.noteTold(try #require(news.first))
            #expect(try desk.news(growth: 100, retention: []).isEmpty)
        }
    }

    /// More events than one call returns come one call after the other, and groups that are no longer looked at do not
    /// stand in their way.
    @Test func eachEventHasItsTurn() async throws {
        try await ClusterUnderTest.with(topics: ["orders", "a.dead-letter", "b.dead-letter"]) { cluster in
            let id = try cluster.clusterID()
            let wide = try cluster.desk()
            try wide.refresh()
            #expect(try wide.news(growth: 100, retention: []).isEmpty)
            for topic in ["a.dead-letter", "b.dead-letter"] {
                try cluster.publish(
                    (0..<30).map { Letters.record($0, in: topic, clusterID: id, reason: "gdt.-\($0 + 10)") }
                )
            }
            try wide.refresh()
            let narrow = try cluster.desk { $0.topics = ["b.dead-letter"] }
            var told = 0
            for _ in 0..<5 {
                for event in try narrow.news(growth: 100, retention: []) {
                    #expect(event.group?.topic == "b.dead-letter")
                    try narrow.noteTold(event)
                    told += 1
                }
            }
            #expect(told == 30)
        }
    }

    /// A publisher of letters of many kinds must not hide that others are deleted soon.
    @Test func aFloodOfNewGroupsHidesNoOtherEvent() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            let desk = try cluster.desk()
            try desk.refresh()
            #expect(try desk.news(growth: 100, retention: []).isEmpty)
            try cluster.publish((0..<60).map { Letters.record($0, clusterID: id, reason: "gdt.-\($0 + 10)") })
            try desk.refresh()
            let view = RetentionView(topic: "a.dead-letter", open: 9, goingSoon: 4, isUnknown: false)
            let news = try desk.news(growth: 100, retention: [view])
            #expect(news.first?.kind == .retention)
            #expect(news.count { $0.kind == .newGroup } > 10)
        }
    }

    @Test func aGroupGrowsAgainstItsOwnPast() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            func letters(_ numbers: Range<Int64>, _ reason: String, hoursAgo: Int64) throws {
                try cluster.publish(
                    numbers.map {
                        var record = Letters.record($0, clusterID: id, reason: reason)
                        record.timestamp = Letters.start - hoursAgo * Self.hour
                        return record
                    }
                )
            }
            // Grows: 20 in two hours, after 22 in the 22 hours before, which is one an hour.
            for hour in 2..<24 { try letters(Int64(hour)..<Int64(hour) + 1, "grows", hoursAgo: Int64(hour)) }
            try letters(100..<110, "grows", hoursAgo: 1)
            try letters(110..<120, "grows", hoursAgo: 0)
            // Does not: 20 in two hours, after five an hour.
            for hour in 2..<24 {
                try letters(Int64(hour) * 10..<Int64(hour) * 10 + 5, "steady", hoursAgo: Int64(hour))
            }
            try letters(300..<320, "steady", hoursAgo: 0)
            // Does not: few.
            try letters(400..<401, "few", hoursAgo: 5)
            try letters(401..<420, "few", hoursAgo: 0)
            // Does not: it is new, which is another event.
            try letters(500..<600, "new", hoursAgo: 0)
            let desk = try cluster.desk()
            try desk.refresh()
            let news = try desk.news(growth: 20, retention: [])
            #expect(Self.kinds(news) == ["group.growing grows 20"])
            try desk.noteTold(try #require(news.first))
            #expect(try desk.news(growth: 20, retention: []).isEmpty)
            let later = Desk(desk.reader) { Letters.start + 7 * Self.hour }
            #expect(
                try later.news(growth: 1, retention: []).isEmpty,
                "what grew before does not grow any more"
            )
        }
    }

    @Test func whatIsDeletedSoonIsToldOnceADay() async throws {
        try await ClusterUnderTest.with { cluster in
            let reader = try cluster.reader()
            try reader.refresh()
            var view = RetentionView(topic: "a.dead-letter", open: 9, goingSoon: 4, isUnknown: false)
            var now = Letters.start
            let desk = Desk(reader) { now }
            let news = try desk.news(growth: 100, retention: [view])
            #expect(Self.kinds(news) == ["retention.near a.dead-letter 4"])
            try desk.noteTold(try #require(news.first))
            now += 23 * Self.hour
            #expect(try desk.news(growth: 100, retention: [view]).isEmpty)
            now += Self.hour
            #expect(try desk.news(growth: 100, retention: [view]).count == 1)
            view.goingSoon = 0
            #expect(try desk.news(growth: 100, retention: [view]).isEmpty)
        }
    }
}
