import PushArrivalPages
import Testing
import WireFormats

struct BoardTests {
    private static func statistics(_ id: String, version: Int64 = 1, at time: Int64 = 0)
        -> PushStatisticsRecord
    {
        var statistics = PushStatisticsRecord(provider: "p", appBundle: "a", messageID: id)
        statistics.version = version
        statistics.updatedMS = time
        return statistics
    }

    @Test func anOlderVersionNeverReplacesANewerOne() {
        let board = StatisticsBoard(limit: 10)
        #expect(board.take(Self.statistics("m", version: 7, at: 1)))
        #expect(!board.take(Self.statistics("m", version: 6, at: 2)))
        #expect(board.newest.map(\.version) == [7])
        // The version that the board has already, and the next one.
        #expect(board.take(Self.statistics("m", version: 7, at: 3)))
        #expect(board.take(Self.statistics("m", version: 8, at: 3)))
        #expect(board.newest.map(\.version) == [8])
    }

    @Test func keepsThoseThatWereUpdatedLast() {
        let board = StatisticsBoard(limit: 10)
        // Every number once, in no order: 7,919 is prime.
        for place in 0..<1_000 {
            let time = Int64(place * 7_919 % 1_000)
            board.take(Self.statistics("m-\(time)", at: time))
        }
        #expect(board.newest.map(\.updatedMS) == (990..<1_000).reversed())
        #expect(board.statistics(of: Self.statistics("m-1").key) == nil)
        #expect(board.statistics(of: Self.statistics("m-995").key)?.updatedMS == 995)
    }

    @Test func neverShowsMoreThanItsLimit() {
        let board = StatisticsBoard(limit: 100)
        for place in 0..<120 { board.take(Self.statistics("m-\(place)", at: Int64(place))) }
        #expect(board.newest.count == 100)
        #expect(board.newest.last?.updatedMS == 20)
    }

    @Test func messagesOfTheSameMomentKeepTheirOrder() {
        let board = StatisticsBoard(limit: 100)
        for id in ["c", "a", "b"] { board.take(Self.statistics(id)) }
        #expect(board.newest.map(\.messageID) == ["a", "b", "c"])
    }

    @Test func idsAreUniqueWithinAProviderAndAnAppAndADay() {
        let board = StatisticsBoard(limit: 100)
        let keys = [
            CohortKey(provider: "p", appBundle: "a", messageID: "m"),
            CohortKey(provider: "q", appBundle: "a", messageID: "m"),
            CohortKey(provider: "p", appBundle: "b", messageID: "m"),
            CohortKey(provider: "p", appBundle: "a", messageID: "m", day: "2026-11-22"),
            CohortKey(provider: "p", appBundle: "a", messageID: "m", day: "2026-11-23"),
        ]
        for key in keys { board.take(PushStatisticsRecord(of: key)) }
        #expect(Set(board.newest.map(\.key)) == Set(keys))
    }

    /// Two keys in Kafka, and so two messages here, always in the same order.
    @Test(arguments: [["caf\u{E9}", "cafe\u{301}"], ["cafe\u{301}", "caf\u{E9}"]])
    func twoSpellingsAreTwoMessages(ids: [String]) {
        let board = StatisticsBoard(limit: 100)
        for id in ids { board.take(Self.statistics(id)) }
        #expect(board.newest.map { Array($0.messageID.utf8).count } == [6, 5])
    }

    @Test func manyThreadsLeaveTheNewest() async {
        let board = StatisticsBoard(limit: 50)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for version in 1...500 {
                        let id = "m-\((version + task) % 40)"
                        board.take(Self.statistics(id, version: Int64(version), at: Int64(version)))
                    }
                }
            }
        }
        #expect(board.newest.count == 40)
        #expect(board.newest.map(\.version).min() ?? 0 > 460)
    }
}
