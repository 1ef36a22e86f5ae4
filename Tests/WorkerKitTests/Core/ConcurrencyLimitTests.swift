import ServiceKit
import Testing
import WorkerKit

struct ConcurrencyLimitTests {
    /// 40 servers of 50 ms: 800 calls a second, and the knee is at 40.
    private static func upstream(
        _ shape: QueueingUpstream.Service = .always,
        initial: Int = 20,
        maximum: Int = 1_000,
        seed: UInt64 = 1
    ) -> QueueingUpstream {
        var upstream = QueueingUpstream(
            servers: 40,
            service: .milliseconds(50),
            limit: ConcurrencyLimit(ConcurrencyLimit.Settings(maximum: maximum, initial: initial)),
            seed: seed
        )
        upstream.shape = shape
        return upstream
    }

    private static func expectAtTheKnee(
        _ account: QueueingUpstream.Account,
        of servers: Int = 40,
        milliseconds: Double = 50,
        _ comment: Comment
    ) {
        let most = Double(servers) / milliseconds * 1_000
        #expect(account.throughput >= 0.95 * most, comment)
        #expect(account.milliseconds <= 2 * milliseconds, comment)
        // Dips go below the knee, for less than a tenth of the time.
        let limits = account.limits.sorted()
        #expect(limits[limits.count / 10] >= servers, comment)
        #expect(limits[limits.count * 9 / 10] <= 2 * servers, comment)
    }

    @Test(arguments: [5, 20, 400], 0..<3)
    func settlesAtTheKneeWhateverTheNoise(initial: Int, shape: Int) {
        let shapes = [QueueingUpstream.Service.always, .exponential, .logNormal(1)]
        var upstream = Self.upstream(shapes[shape], initial: initial, seed: UInt64(initial))
        _ = upstream.run(for: 15)
        Self.expectAtTheKnee(upstream.run(for: 45), "\(shapes[shape]) from \(initial)")
    }

    @Test func hasGrownToTheKneeWithinSeconds() {
        var upstream = Self.upstream()
        _ = upstream.run(for: 5)
        Self.expectAtTheKnee(upstream.run(for: 5), "5 seconds after its start")
    }

    @Test(arguments: 0..<2)
    func followsACapacityThatIsHalvedAndDoubled(seed: UInt64) {
        var upstream = Self.upstream(.exponential, seed: seed)
        _ = upstream.run(for: 10)
        upstream.servers = 20
        _ = upstream.run(for: 5)
        Self.expectAtTheKnee(upstream.run(for: 40), of: 20, "halved, seed \(seed)")
        upstream.servers = 40
        _ = upstream.run(for: 5)
        Self.expectAtTheKnee(upstream.run(for: 40), of: 40, "doubled, seed \(seed)")
    }

    @Test(arguments: 0..<2)
    func isNotFooledByAnUpstreamThatOnlyBecomesSlower(seed: UInt64) {
        var upstream = Self.upstream(.exponential, seed: seed)
        _ = upstream.run(for: 10)
        upstream.service = .milliseconds(200)
        _ = upstream.run(for: 30)
        Self.expectAtTheKnee(upstream.run(for: 60), milliseconds: 200, "slower, seed \(seed)")
        upstream.service = .milliseconds(50)
        // Until it has measured again, it lets more in than it needs to, and no call takes longer than before.
        #expect(upstream.run(for: 15).milliseconds <= 400, "seed \(seed)")
        Self.expectAtTheKnee(upstream.run(for: 40), "fast again, seed \(seed)")
    }

    @Test(arguments: 0..<2)
    func isNotFooledByAFewCallsThatHang(seed: UInt64) {
        var upstream = Self.upstream(.exponential, maximum: 500, seed: seed)
        _ = upstream.run(for: 10)
        let before = upstream.currentLimit
        upstream.hanging = (0.01, .seconds(5))
        let account = upstream.run(for: 40)
        let limits = account.limits.sorted()
        #expect(limits[limits.count / 10] >= before * 3 / 4, "seed \(seed)")
        #expect(account.throughput >= 0.9 * 800, "seed \(seed)")
    }

    @Test func aDipDoesNotStarveBehindCallsThatHang() {
        // Half of what is in flight hangs for a minute when the limit dips to less than that.
        var upstream = Self.upstream()
        _ = upstream.run(for: 25)
        upstream.hanging = (1, .seconds(60))
        upstream.limit = ConcurrencyLimit(ConcurrencyLimit.Settings(maximum: 200, initial: 60))
        upstream.demand = 30
        _ = upstream.run(for: 0.5)
        upstream.hanging = (0, .zero)
        upstream.demand = .max
        for second in 1...20 {
            #expect(upstream.run(for: 1).answered >= 200, "second \(second)")
        }
    }

    @Test func aDipTellsWhenItEndsWithoutAnAnswer() throws {
        var upstream = Self.upstream()
        var end: Int64?
        for _ in 0..<10_000 where end == nil {
            _ = upstream.run(for: 0.01)
            end = upstream.limit.dipEnd(at: upstream.now)
        }
        let dipEnd = try #require(end)
        #expect(upstream.limit.current(at: dipEnd - 1) < upstream.limit.current(at: dipEnd))
        #expect(upstream.limit.dipEnd(at: dipEnd) == nil)
    }

    @Test func aBurstOfSlowCallsDoesNotMakeItCollapse() {
        var upstream = Self.upstream()
        _ = upstream.run(for: 10)
        upstream.hanging = (0.2, .seconds(30))
        _ = upstream.run(for: 0.2)
        upstream.hanging = (0, .zero)
        // It may happen to dip now, and wait in vain for those that hang, but not for long.
        #expect(upstream.run(for: 5).throughput >= 0.6 * 800)
        #expect(upstream.run(for: 5).limits.allSatisfy { $0 >= 40 })
    }

    @Test func growsOnlyWhileItIsUsed() {
        var upstream = Self.upstream(initial: 20)
        upstream.demand = 15
        let account = upstream.run(for: 30)
        #expect(account.limits.allSatisfy { $0 == 20 })
        upstream.demand = 30
        _ = upstream.run(for: 20)
        #expect((30...45).contains(upstream.currentLimit))
    }

    @Test func staysWithinItsBounds() {
        var upstream = Self.upstream(initial: 20, maximum: 25)
        #expect(upstream.run(for: 20).limits.allSatisfy { $0 <= 25 })
        #expect(upstream.currentLimit == 25)
        upstream.limit = ConcurrencyLimit(ConcurrencyLimit.Settings(minimum: 10, maximum: 100, initial: 12))
        upstream.refusedAnyway = 0.5
        let account = upstream.run(for: 10)
        #expect(account.limits.allSatisfy { $0 >= 10 })
        #expect(upstream.currentLimit == 10)
    }

    @Test func settingsThatContradictEachOtherAreHeldTogether() {
        let settings = ConcurrencyLimit.Settings(minimum: 30, maximum: 10, initial: 1)
        #expect(ConcurrencyLimit(settings).current(at: 0) == 30)
        #expect(ConcurrencyLimit(ConcurrencyLimit.Settings(minimum: -5, maximum: 0)).current(at: 0) == 1)
    }

    @Test func staysBelowWhatAnUpstreamRefuses() {
        var upstream = Self.upstream(.exponential)
        upstream.places = 40
        upstream.servers = 1_000
        _ = upstream.run(for: 10)
        let account = upstream.run(for: 15)
        #expect(account.throughput >= 0.85 * 800)
        #expect(account.limits.allSatisfy { (34...42).contains($0) })
    }

    @Test func aFewRefusalsAreNoOverload() {
        var upstream = Self.upstream()
        upstream.refusedAnyway = 0.03
        _ = upstream.run(for: 10)
        #expect((40...80).contains(upstream.currentLimit))
    }

    @Test func failuresThatSayNothingOfTheLoadChangeNothing() {
        var limit = ConcurrencyLimit(ConcurrencyLimit.Settings(maximum: 100, initial: 20))
        for call: Int64 in 0..<10_000 {
            limit.started(inFlight: 20)
            limit.completed(
                latency: 1 + call * 1_000_000,
                inFlight: 20,
                outcome: .failed,
                at: call * 10_000_000
            )
        }
        #expect(limit.current(at: 0) == 20)
    }

    @Test func isRightAlsoWhereNobodyObeysIt() {
        // First the load is low, and tells what a call takes; then 100 are in flight where 40 would do.
        var upstream = Self.upstream(.exponential)
        upstream.fixed = 8
        _ = upstream.run(for: 10)
        upstream.fixed = 100
        let early = upstream.run(for: 10)
        #expect(early.throughput >= 0.95 * 800)
        let limits = upstream.run(for: 60).limits
        #expect(limits.allSatisfy { (36...80).contains($0) })
    }

    @Test func survivesAnyNumbers() {
        var random = SplitMix64(seed: 3)
        var limit = ConcurrencyLimit(ConcurrencyLimit.Settings(maximum: .max, initial: .max))
        var now: Int64 = 0
        let extremes: [Int64] = [.min, -1, 0, 1, 1_000, 1_000_000_000, .max]
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...1_000_000_000, using: &random)
            let inFlight = [0, 1, 50, Int.max][Int.random(in: 0..<4, using: &random)]
            limit.started(inFlight: inFlight)
            limit.completed(
                latency: extremes[Int.random(in: 0..<extremes.count, using: &random)],
                inFlight: inFlight,
                outcome: [.answered, .overloaded, .failed][Int.random(in: 0..<3, using: &random)],
                at: now
            )
            #expect(limit.current(at: now) >= 1)
        }
    }
}
