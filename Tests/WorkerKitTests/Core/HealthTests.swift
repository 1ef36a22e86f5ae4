import ServiceKit
import Testing
import WorkerKit

private let second: Int64 = 1_000_000_000

struct CircuitBreakerTests {
    private var random = SplitMix64(seed: 7)
    private var breaker = CircuitBreaker(CircuitBreaker.Settings())
    private var lastCall: UInt64 = 0
    /// When calls begin.
    private var started: Int64 = 0

    private mutating func startCall() -> UInt64 {
        self.lastCall += 1
        self.breaker.callStarted(self.lastCall, at: self.started)
        return self.lastCall
    }

    /// One call after the other, each failed before the next begins.
    private mutating func fail(_ calls: Int, at now: Int64) {
        for _ in 0..<calls {
            let call = self.startCall()
            self.breaker.failed(call, at: now, using: &self.random)
        }
    }

    private mutating func answer(_ calls: Int = 1, at now: Int64) {
        for _ in 0..<calls {
            let call = self.startCall()
            self.breaker.answered(call, at: now)
        }
    }

    private var openUntil: Int64? {
        guard case .open(let until) = self.breaker.state else { return nil }
        return until
    }

    @Test mutating func opensOnARunOfFailuresOnly() {
        for _ in 0..<4 {
            self.fail(9, at: 5 * second)
            self.answer(at: 5 * second)
        }
        #expect(self.breaker.state == .closed)
        self.fail(9, at: 5 * second)
        #expect(self.breaker.state == .closed)
        self.fail(1, at: 5 * second)
        #expect(self.openUntil != nil)
    }

    @Test mutating func opensOnAShareOfFailuresOfTheLastSeconds() {
        for _ in 0..<9 {
            self.answer(at: second)
            self.fail(4, at: second)
        }
        #expect(self.breaker.state == .closed)
        self.answer(at: second)
        self.fail(4, at: second)
        #expect(self.openUntil != nil)
    }

    /// Fails calls, and answers one of twenty, until the breaker opens. Then it answers the probes, so that the breaker
    /// closes again.
    ///
    /// - Returns: The number of calls before it opened, and the time at which it closed.
    private mutating func openAndClose(at now: Int64) throws -> (calls: Int, closed: Int64) {
        let before = self.lastCall
        while self.openUntil == nil, self.lastCall - before < 10_000 {
            self.answer(at: now)
            self.fail(19, at: now)
        }
        let (calls, until) = (Int(self.lastCall - before), try #require(self.openUntil))
        self.started = until
        self.answer(CircuitBreaker.probes, at: until)
        #expect(self.breaker.state == .closed)
        return (calls, until)
    }

    /// Many records that always fail, with others between them that are answered, must not keep the others waiting.
    @Test mutating func eachOpeningSoonAfterAClosingTakesTwiceAsManyCalls() throws {
        var (now, calls) = (second, [Int]())
        for _ in 0..<6 {
            let next = try self.openAndClose(at: now)
            calls.append(next.calls)
            now = next.closed
        }
        let bounds = [50, 100, 200, 400, 400, 400]
        #expect(zip(calls, bounds).allSatisfy { ($1..<$1 + 20).contains($0) }, "\(calls)")
        let calm = try self.openAndClose(at: now + CircuitBreaker.patience.wholeNanoseconds)
        #expect((50..<70).contains(calm.calls), "an upstream that was well is judged as at first")
        let next = try self.openAndClose(at: calm.closed)
        #expect((100..<120).contains(next.calls))
    }

    @Test mutating func forgetsCallsOfTenSecondsAgo() {
        for tick: Int64 in 0..<200 {
            self.answer(at: tick * second)
            self.fail(3, at: tick * second)
        }
        #expect(self.breaker.state == .closed)
    }

    @Test mutating func letsAFewProbesOutAndClosesWhenEnoughHaveSucceeded() throws {
        self.fail(10, at: second)
        let until = try #require(self.openUntil)
        #expect(self.breaker.admission(at: until - 1) == .notBefore(until))
        self.started = until
        var probes: [UInt64] = []
        for _ in 0..<CircuitBreaker.probes {
            #expect(self.breaker.admission(at: until) == .probe)
            probes.append(self.startCall())
        }
        let patience = until + CircuitBreaker.patience.wholeNanoseconds
        #expect(self.breaker.admission(at: until) == .waitForProbe(until: patience))
        for probe in probes {
            #expect(self.breaker.state == .halfOpen)
            self.breaker.answered(probe, at: until)
        }
        #expect(self.breaker.admission(at: until) == .yes)
    }

    /// resilience4j #903: calls that hang kept the breaker half open for ever.
    @Test mutating func aProbeThatHangsIsReplaced() throws {
        self.fail(10, at: second)
        self.started = try #require(self.openUntil)
        for _ in 0..<CircuitBreaker.probes { _ = self.startCall() }
        let patience = self.started + CircuitBreaker.patience.wholeNanoseconds
        #expect(self.breaker.admission(at: patience - 1) == .waitForProbe(until: patience))
        #expect(self.breaker.admission(at: patience) == .probe)
    }

    @Test mutating func aShareOfSuccessesIsEnoughToClose() throws {
        self.fail(10, at: second)
        self.started = try #require(self.openUntil)
        var calls = 0
        while self.breaker.state != .closed {
            let probes = (0..<3).map { _ in self.startCall() }
            self.breaker.answered(probes[0], at: self.started)
            self.breaker.answered(probes[1], at: self.started)
            self.breaker.failed(probes[2], at: self.started, using: &self.random)
            calls += 3
            try #require(calls < 100)
        }
    }

    @Test mutating func probesThatAllFailOpenItForLonger() throws {
        self.fail(10, at: second)
        self.started = try #require(self.openUntil)
        let probes = (0..<3).map { _ in self.startCall() }
        for probe in probes.dropLast() {
            self.breaker.failed(probe, at: self.started, using: &self.random)
            #expect(self.breaker.state == .halfOpen)
        }
        self.breaker.failed(probes[2], at: self.started, using: &self.random)
        #expect(try #require(self.openUntil) - self.started > second / 2)
    }

    @Test mutating func failuresInARowOpenItOnlyAfterASecondWithoutAnAnswer() {
        self.answer(at: second)
        self.fail(40, at: 2 * second - 1)
        #expect(self.breaker.state == .closed)
        self.fail(1, at: 2 * second)
        #expect(self.openUntil != nil)
    }

    @Test mutating func outliersDoNotOpenItWhileOthersSucceed() throws {
        for tick: Int64 in 0..<40 {
            self.answer(at: tick * second)
            for _ in 0..<100 {
                let call = self.startCall()
                self.breaker.failed(call, isOutlier: true, at: tick * second, using: &self.random)
            }
        }
        #expect(self.breaker.state == .closed)
        // When nobody has succeeded for a while, they are all there is to judge by.
        for _ in 0..<10 {
            let call = self.startCall()
            self.breaker.failed(call, isOutlier: true, at: 60 * second, using: &self.random)
        }
        #expect(self.openUntil != nil)
    }

    @Test mutating func outliersAmongTheProbesDoNotOpenItAgainWhileOthersSucceed() throws {
        self.fail(10, at: second)
        let until = try #require(self.openUntil)
        self.answer(at: until)
        func failOutliers(_ count: Int, at now: Int64) {
            for _ in 0..<count {
                let call = self.startCall()
                self.breaker.failed(call, isOutlier: true, at: now, using: &self.random)
            }
        }
        failOutliers(30, at: until)
        #expect(self.breaker.state == .halfOpen)
        failOutliers(12, at: until + 6 * second)
        #expect(try #require(self.openUntil) > until)
    }

    @Test mutating func callsThatWereOutWhenItOpenedNeitherCloseNorOpenIt() throws {
        let early = (0..<30).map { _ in self.startCall() }
        self.fail(10, at: second)
        let until = try #require(self.openUntil)
        self.breaker.answered(early[0], at: second)
        #expect(self.openUntil == until)
        let probe = self.startCall()
        self.breaker.answered(early[1], at: until)
        self.breaker.failed(early[2], at: until, using: &self.random)
        #expect(self.breaker.state == .halfOpen)
        self.breaker.answered(probe, at: until)
        self.answer(2, at: until)
        for call in early[3...] { self.breaker.failed(call, at: until, using: &self.random) }
        #expect(self.breaker.state == .closed)
    }

    @Test mutating func pausesLongerWithEachFailedProbeUpToALimit() throws {
        self.fail(10, at: 0)
        var bound = second
        for _ in 0..<12 {
            let until = try #require(self.openUntil)
            self.fail(1, at: until)
            let next = try #require(self.openUntil)
            bound = min(2 * bound, 30 * second)
            #expect((bound / 2...bound).contains(next - until))
        }
    }

    @Test mutating func pausesShortAgainAfterASuccess() throws {
        self.fail(10, at: 0)
        for _ in 0..<5 { self.fail(1, at: try #require(self.openUntil)) }
        let until = try #require(self.openUntil)
        self.answer(3, at: until)
        self.fail(10, at: until + second)
        #expect(try #require(self.openUntil) - until - second <= second)
    }

    /// All probes of several half-open times may be for records that always fail. An upstream that was well a moment
    /// ago is asked again soon.
    @Test mutating func pausesShortAfterALateAnswer() throws {
        self.answer(at: 100 * second)
        self.fail(10, at: 102 * second)
        var longest: Int64 = 0
        while let until = self.openUntil, until < 500 * second {
            self.fail(3, at: until)
            let next = try #require(self.openUntil)
            let silence = until - 100 * second
            #expect(next - until <= max(2 * second, silence / 4))
            longest = max(longest, next - until)
        }
        #expect(longest > 15 * second && longest <= 30 * second)
    }

    @Test mutating func anAbandonedProbeIsReplaced() throws {
        self.fail(10, at: 0)
        self.started = 8 * second
        let probes = (0..<3).map { _ in self.startCall() }
        self.breaker.callEnded(probes[0] - 1)
        #expect(self.breaker.admission(at: 9 * second) == .waitForProbe(until: 18 * second))
        self.breaker.callEnded(probes[0])
        #expect(self.breaker.admission(at: 9 * second) == .probe)
    }

    @Test mutating func aGateEndsWithAProbeAndIsNeverShortened() throws {
        let early = self.startCall()
        let wasOpen = [
            self.breaker.gate(until: 30 * second, at: 0), self.breaker.gate(until: 20 * second, at: 0),
        ]
        #expect(wasOpen == [true, false])
        self.breaker.answered(early, at: second)
        #expect(self.breaker.admission(at: second) == .notBefore(30 * second))
        #expect(self.breaker.admission(at: 30 * second) == .probe)
        self.fail(1, at: 30 * second)
        #expect(try #require(self.openUntil) <= 31 * second)
    }
}

struct BlameEvidenceTests {
    private var evidence = BlameEvidence()

    private mutating func note(_ answered: Int, _ failed: Int, at now: Int64 = 0) {
        for _ in 0..<answered { self.evidence.note(failed: false, at: now) }
        for _ in 0..<failed { self.evidence.note(failed: true, at: now) }
    }

    @Test mutating func blamesTheRecordOnlyWhereOthersFareWell() {
        let start = self.evidence.mark
        #expect(self.evidence.judge(since: start, at: 0) == .unknown)
        self.note(2, 0)
        #expect(self.evidence.judge(since: start, at: 0) == .unknown)
        self.note(1, 0)
        #expect(self.evidence.judge(since: start, at: 0) == .record)
        self.note(6, 1)
        #expect(self.evidence.judge(since: start, at: 0) == .record)
        self.note(0, 1)
        #expect(self.evidence.judge(since: start, at: 0) == .upstream)
    }

    @Test mutating func looksNoFurtherBackThanTheMark() {
        self.note(0, 100, at: 0)
        let mark = self.evidence.mark
        #expect(self.evidence.judge(since: mark, at: 20 * second) == .unknown)
        self.note(3, 0, at: 20 * second)
        #expect(self.evidence.judge(since: mark, at: 20 * second) == .record)
    }

    @Test mutating func aGoodTimeLongAgoDoesNotSpeakForAnUpstreamThatFailsNow() {
        let mark = self.evidence.mark
        self.note(1_000, 0, at: 0)
        self.note(1, 1, at: 60 * second)
        #expect(self.evidence.judge(since: mark, at: 60 * second) == .upstream)
    }
}
