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

    @Test mutating func anAnswerBetweenSuspectsKeepsTheLaneOpen() {
        for call: UInt64 in 0..<10 {
            let suspicions = [self.lane.suspected(call, at: 0), self.lane.suspected(call, at: 0)]
            #expect(suspicions == [nil, nil])
            _ = self.lane.answered(call)
        }
        let suspicions = (11...13).map { self.lane.suspected($0, at: 0) }
        #expect(suspicions == [nil, nil, .begun(isNews: true)])
        #expect(!self.lane.admits(at: 0))
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
}
