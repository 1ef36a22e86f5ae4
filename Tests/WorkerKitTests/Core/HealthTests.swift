import Testing
import WorkerKit

private let second: Int64 = 1_000_000_000

struct CircuitBreakerTests {
    private var random = SplitMix64(seed: 7)

    private static func opened(at now: Int64, _ random: inout SplitMix64) -> CircuitBreaker {
        var breaker = CircuitBreaker(CircuitBreaker.Settings())
        for _ in 0..<10 { breaker.failed(at: now, using: &random) }
        return breaker
    }

    @Test mutating func opensOnARunOfFailuresOnly() {
        var breaker = CircuitBreaker(CircuitBreaker.Settings())
        for round in 0..<40 {
            breaker.failed(at: 5 * second, using: &self.random)
            if round % 5 == 4 { breaker.answered(at: 5 * second) }
            if round < 35 { #expect(breaker.state == .closed || round >= 20) }
        }
        #expect(Self.opened(at: 5 * second, &self.random).state != .closed)
    }

    @Test mutating func opensOnAShareOfFailuresOfTheLastSeconds() {
        var breaker = CircuitBreaker(CircuitBreaker.Settings())
        for _ in 0..<24 {
            breaker.answered(at: second)
            breaker.failed(at: second, using: &self.random)
        }
        #expect(breaker.state == .closed)
        breaker.answered(at: second)
        breaker.failed(at: second, using: &self.random)
        #expect(breaker.state != .closed)
    }

    @Test mutating func forgetsCallsOfTenSecondsAgo() {
        var breaker = CircuitBreaker(CircuitBreaker.Settings())
        for tick: Int64 in 0..<200 {
            breaker.answered(at: tick * second)
            breaker.failed(at: tick * second, using: &self.random)
        }
        #expect(breaker.state == .closed)
    }

    @Test mutating func probesWithOneCallAndClosesOnAnyAnswer() {
        var breaker = Self.opened(at: second, &self.random)
        guard case .open(let until) = breaker.state else { return #expect(Bool(false)) }
        #expect(breaker.admission(at: until - 1) == .notBefore(until))
        #expect(breaker.admission(at: until) == .probe)
        breaker.probeStarted()
        #expect(breaker.admission(at: until) == .waitForProbe)
        breaker.answered(at: until)
        #expect(breaker.admission(at: until) == .yes)
    }

    @Test mutating func pausesLongerWithEachFailedProbeUpToALimit() {
        var breaker = Self.opened(at: 0, &self.random)
        var bound = second
        for _ in 0..<12 {
            guard case .open(let until) = breaker.state else { return #expect(Bool(false)) }
            breaker.probeStarted()
            breaker.failed(at: until, using: &self.random)
            guard case .open(let next) = breaker.state else { return #expect(Bool(false)) }
            bound = min(2 * bound, 30 * second)
            #expect((bound / 2...bound).contains(next - until))
        }
    }

    @Test mutating func anAbandonedProbeIsSentAgain() {
        var breaker = Self.opened(at: 0, &self.random)
        breaker.probeStarted()
        breaker.probeAbandoned(at: 9 * second)
        #expect(breaker.admission(at: 9 * second) == .probe)
    }
}

struct LaneHealthTests {
    @Test func anAnswerBetweenSuspectsKeepsTheLaneOpen() {
        var lane = LaneHealth(LaneHealth.Settings())
        for _ in 0..<10 {
            let suspicions = [lane.suspected(at: 0), lane.suspected(at: 0)]
            #expect(suspicions == [false, false])
            lane.answered()
        }
        let suspicions = [lane.suspected(at: 0), lane.suspected(at: 0), lane.suspected(at: 0)]
        #expect(suspicions == [false, false, true])
        #expect(!lane.admits(at: 0))
    }

    @Test func aHeldLaneLetsOneProbeThrough() {
        var lane = LaneHealth(LaneHealth.Settings())
        lane.hold(at: 0)
        #expect(lane.nextProbe == 5 * second)
        #expect(!lane.admits(at: 5 * second - 1))
        #expect(lane.admits(at: 5 * second))
        let isProbe = lane.callStarted()
        #expect(isProbe)
        #expect(!lane.admits(at: 100 * second))
        lane.answered()
        #expect(lane.admits(at: 5 * second))
        let isAnother = lane.callStarted()
        #expect(!isAnother)
    }

    @Test func callsThatWereOutWhenItWasHeldDoNotLengthenThePause() {
        var lane = LaneHealth(LaneHealth.Settings())
        for _ in 0..<64 { lane.hold(at: 0) }
        #expect(lane.nextProbe == 5 * second)
    }

    @Test func eachProbeInVainDoublesThePauseUpToALimit() {
        var lane = LaneHealth(LaneHealth.Settings())
        lane.hold(at: 0)
        for expected: Int64 in [10, 20, 40, 80, 160, 300, 300] {
            guard let due = lane.nextProbe else { return #expect(Bool(false)) }
            _ = lane.callStarted()
            lane.hold(at: due)
            #expect(lane.nextProbe == due + expected * second)
        }
    }

    @Test func aProbeThatSaysNothingIsFollowedByAnotherAfterAPause() {
        var lane = LaneHealth(LaneHealth.Settings())
        lane.hold(at: 0)
        _ = lane.callStarted()
        lane.probeSaidNothing(at: 6 * second)
        #expect(lane.nextProbe == 11 * second)
        lane.probeReleased(at: 11 * second)
        #expect(lane.nextProbe == 12 * second)
        lane.probeDeclined(at: 11 * second)
        #expect(lane.nextProbe == 11 * second)
    }
}
