import Testing

@testable import WireFormats

@Suite struct ArrivalHoursTests {
    private static let hour = ArrivalHours.length

    @Test(arguments: [(0, 0), (3_599_999, 0), (3_600_000, 1), (-1, -1), (-3_600_000, -1), (-3_600_001, -2)])
    func aTimeBelongsToTheHourOfTheClockInWhichItIs(time: Int64, hour: Int32) {
        #expect(ArrivalHours.hour(of: time) == hour)
    }

    @Test func theFarthestTimesBreakNothing() {
        var hours = ArrivalHours()
        for time in [Int64.min, .max, 0] { hours.add(at: time) }
        #expect(hours.all.map(\.hour) == [.min, 0, .max])
    }

    @Test func theLatestHoursAreKeptInWhateverOrderTheyCome() {
        let times = (0..<1_000).map { Int64($0 * 7 % 400) * Self.hour }
        var (one, other, halves) = (ArrivalHours(), ArrivalHours(), (ArrivalHours(), ArrivalHours()))
        for time in times {
            one.add(at: time)
            if time % 2 == 0, time / Self.hour % 3 == 0 {
                halves.0.add(at: time)
            } else {
                halves.1.add(at: time)
            }
        }
        for time in times.reversed() { other.add(at: time) }
        halves.1 += halves.0
        #expect(one == other && one == halves.1)
        #expect(one.all.map(\.hour) == (64..<400).map { Int32($0) })
        // 1,000 arrivals in 400 hours: two or three in each.
        #expect(one.all.allSatisfy { 2...3 ~= $0.count })
        #expect(one.byteCount <= ArrivalHours.limit * 12)
        #expect(ArrivalHours(one.all) == one && ArrivalHours([(hour: 1, count: 0)]).isEmpty)
    }
}
