import Testing
import WorkerKit

private let second: Int64 = 1_000_000_000

struct LaneHealthTests {
    private var lane = LaneHealth(LaneHealth.Settings())

    /// A lane that was held by call 1 and opened again by call 2.
    private static func remembered() -> LaneHealth {
        var lane = LaneHealth(LaneHealth.Settings())
        _ = lane.hold(1, after: nil, at: 0)
        lane.callStarted(2)
        _ = lane.answered(2)
        return lane
    }

    /// A rejection by this call of a record that has a key of its own.
    private mutating func suspected(
        _ call: UInt64,
        ofKey key: Int? = nil,
        after previous: UInt64? = nil,
        lastGood: LaneHealth.GoodAnswer? = nil,
        at now: Int64 = 0
    ) -> LaneHealth.Hold? {
        self.lane.suspected(call, ofKey: key ?? Int(call), after: previous, lastGood: lastGood, at: now)
    }

    @Test mutating func anAnswerBetweenSuspectsKeepsTheLaneOpen() {
        for call: UInt64 in 0..<10 {
            let suspicions = [self.suspected(2 * call), self.suspected(2 * call + 1)]
            #expect(suspicions == [nil, nil])
            _ = self.lane.answered(2 * call)
        }
        var suspicions: [LaneHealth.Hold?] = []
        for call: UInt64 in 21...23 { suspicions.append(self.suspected(call)) }
        #expect(suspicions == [nil, nil, .begun(isNews: true)])
        #expect(!self.lane.admits(at: 0))
    }

    @Test mutating func suspectsOfOneKeyDoNotHoldTheLane() {
        var suspicions: [LaneHealth.Hold?] = []
        for call: UInt64 in 1...30 { suspicions.append(self.suspected(call, ofKey: Int(call % 2))) }
        #expect(suspicions.prefix(2) == [nil, nil])
        #expect(suspicions.dropFirst(2).allSatisfy { $0 == .recordOnly })
        let ofAnotherKey = self.suspected(31, ofKey: 2)
        #expect(ofAnotherKey == .begun(isNews: true))
    }

    @Test mutating func aLaneThatHasAnsweredSomebodyLatelyIsNotHeldBySuspects() {
        let good = LaneHealth.GoodAnswer(call: 1, at: 0)
        for call: UInt64 in 2..<100 {
            let suspicion = self.suspected(call, lastGood: good, at: 10 * second - 1)
            #expect(suspicion == (call < 4 ? nil : .recordOnly))
        }
        let late = self.suspected(100, lastGood: good, at: 10 * second)
        #expect(late == .begun(isNews: true))
    }

    @Test mutating func aSuspectThatTheLaneHasRefutedIsADeadLetter() {
        for call: UInt64 in 1...2 { _ = self.suspected(call, ofKey: 1) }
        let kept = self.suspected(3, ofKey: 1)
        #expect(kept == .recordOnly)
        _ = self.lane.answered(2)
        let earlier = self.suspected(5, after: 3, lastGood: LaneHealth.GoodAnswer(call: 4, at: 0))
        #expect(earlier == nil)
    }

    /// A client that has had a lane held in vain must not be able to do so again and again.
    @Test mutating func eachSuspicionInVainDoublesTheTrust() {
        var (now, call): (Int64, UInt64) = (0, 0)
        for trust: Int64 in [10, 20, 40, 80, 160, 300, 300] {
            var good = LaneHealth.GoodAnswer(call: call, at: now)
            for _ in 0..<5 {
                call += 1
                let early = self.suspected(call, lastGood: good, at: good.at + trust * second - 1)
                #expect(early != .begun(isNews: true) && early != .begun(isNews: false))
            }
            now = good.at + trust * second
            call += 1
            let late = self.suspected(call, lastGood: good, at: now)
            #expect(late == .begun(isNews: trust == 10))
            call += 1
            self.lane.callStarted(call)
            let opens = self.lane.answered(call)
            #expect(opens)
            good = LaneHealth.GoodAnswer(call: call, at: now)
        }
    }

    @Test mutating func aLaneThatIsOnlySuspectedIsProbedAtASteadyPace() throws {
        for call: UInt64 in 1...3 { _ = self.suspected(call) }
        for call: UInt64 in 4..<20 {
            let due = try #require(self.lane.nextProbe)
            self.lane.callStarted(call)
            let hold = self.suspected(call, at: due)
            #expect(hold == .goesOn)
            #expect(self.lane.nextProbe == due + 5 * second)
        }
        self.lane.callStarted(20)
        _ = self.lane.hold(20, after: nil, at: 0)
        #expect((self.lane.nextProbe ?? 0) > 5 * second)
    }

    @Test mutating func aHeldLaneLetsOneProbeThrough() {
        let hold = self.lane.hold(1, after: nil, at: 0)
        #expect(hold == .begun(isNews: true))
        #expect(self.lane.nextProbe == 5 * second)
        #expect(!self.lane.admits(at: 5 * second - 1))
        #expect(self.lane.admits(at: 5 * second))
        self.lane.callStarted(2)
        #expect(!self.lane.admits(at: 100 * second))
        let opens = self.lane.answered(2)
        #expect(opens && self.lane.admits(at: 5 * second))
        self.lane.callStarted(3)
        #expect(self.lane.state == .open)
    }

    @Test mutating func onlyTheProbeOpensTheLane() {
        _ = self.lane.hold(10, after: nil, at: 0)
        let opens = self.lane.answered(9)
        #expect(!opens && self.lane.state == .held(until: 5 * second))
        self.lane.callStarted(11)
        let opensWhileProbing = self.lane.answered(8)
        #expect(!opensWhileProbing && self.lane.state == .probing(call: 11))
    }

    @Test mutating func callsThatWereOutWhenItWasHeldDoNotLengthenThePause() {
        for call: UInt64 in 1...64 { _ = self.lane.hold(call, after: nil, at: 0) }
        #expect(self.lane.nextProbe == 5 * second)
        self.lane.callStarted(100)
        let late = self.lane.hold(65, after: nil, at: 5 * second)
        #expect(late == .goesOn && self.lane.state == .probing(call: 100))
    }

    @Test mutating func eachProbeInVainDoublesThePauseUpToALimit() throws {
        _ = self.lane.hold(0, after: nil, at: 0)
        for (index, expected) in ([10, 20, 40, 80, 160, 300, 300] as [Int64]).enumerated() {
            let call = UInt64(index + 1)
            let due = try #require(self.lane.nextProbe)
            self.lane.callStarted(call)
            let hold = self.lane.hold(call, after: nil, at: due)
            #expect(hold == .goesOn)
            #expect(self.lane.nextProbe == due + expected * second)
        }
    }

    @Test mutating func aProbeThatSaysNothingIsFollowedByAnotherAfterAPause() {
        _ = self.lane.hold(1, after: nil, at: 0)
        self.lane.callStarted(2)
        self.lane.callEnded(1, at: 6 * second)
        #expect(self.lane.nextProbe == nil)
        self.lane.callEnded(2, at: 6 * second)
        #expect(self.lane.nextProbe == 11 * second)
        self.lane.probeReleased(at: 11 * second)
        #expect(self.lane.nextProbe == 12 * second)
        self.lane.probeDeclined(at: 11 * second)
        #expect(self.lane.nextProbe == 11 * second)
    }

    @Test func aRecordThatTheLaneHasRefutedDoesNotHoldItAgain() {
        var lane = Self.remembered()
        for call: UInt64 in 3..<100 {
            let hold = lane.hold(call, after: 1, at: 0)
            #expect(hold == .recordOnly)
        }
        #expect(lane.state == .open)
    }

    @Test func aRememberedLaneIsHeldByAsManyInARowAsRejections() {
        var lane = Self.remembered()
        var holds = [3, 4].map { lane.hold($0, after: nil, at: 0) }
        _ = lane.answered(5)
        holds += [6, 7, 8].map { lane.hold($0, after: nil, at: 0) }
        #expect(holds == [.recordOnly, .recordOnly, .recordOnly, .recordOnly, .begun(isNews: false)])
        #expect(lane.nextProbe == 5 * second)
    }

    @Test func isRememberedForAsLongAsSomebodyAsks() {
        var lane = Self.remembered()
        #expect(!lane.canBeForgotten(at: 1_200 * second))
        #expect(lane.canBeForgotten(at: 1_200 * second + 1))
        _ = lane.hold(3, after: 1, at: 900 * second)
        #expect(!lane.canBeForgotten(at: 2_100 * second))
        #expect(lane.canBeForgotten(at: 2_100 * second + 1))
    }

    @Test mutating func aGateHoldsTheLaneWithoutSuspicion() {
        let isNews = self.lane.gate(1, until: 60 * second)
        #expect(isNews && self.lane.isGated)
        #expect(!self.lane.admits(at: 59 * second) && self.lane.admits(at: 60 * second))
        // A call that was out before can only lengthen the wait.
        let isNewsAgain = self.lane.gate(2, until: 30 * second)
        #expect(!isNewsAgain && self.lane.nextProbe == 60 * second)
        self.lane.callStarted(3)
        let isNewsOfProbe = self.lane.gate(3, until: 120 * second)
        #expect(!isNewsOfProbe && self.lane.nextProbe == 120 * second)
        self.lane.callStarted(4)
        let isOpenAgain = self.lane.answered(4)
        #expect(isOpenAgain && !self.lane.isGated && self.lane.canBeForgotten(at: 0))
    }
}
