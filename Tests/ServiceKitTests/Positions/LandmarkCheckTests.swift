import ServiceKit
import Testing

struct LandmarkCheckTests {
    private static let second: Int64 = 1_000_000_000

    private let check = LandmarkCheck(Landmark(offset: 15, timestamp: 1_700), below: 20)

    @Test func whatLiesBeforeTheCommitIsSettled() {
        #expect(self.check.look(at: 15, timestamp: 1_700) == .settled)
        #expect(self.check.look(at: 19, timestamp: 9) == .settled)
    }

    @Test(arguments: [1_699, nil]) func anotherRecordAtTheLandmarkIsOfAnotherTopic(timestamp: Int64?) {
        #expect(self.check.look(at: 15, timestamp: timestamp) == .madeAnew)
    }

    /// Retention may have taken the landmark, and then reading begins after it.
    @Test(arguments: [14, 20, 1_000]) func nothingElseIsLookedAt(offset: Int64) {
        #expect(self.check.look(at: offset, timestamp: 1_700) == .over)
    }

    /// After a change of its leader, the end of a log lags behind for a moment.
    @Test func aLogThatEndsTooSoonIsBelievedAfterTenSeconds() {
        var check = self.check
        let start = 100 * Self.second
        #expect(check.isCutOff(at: 19, now: start) == false)
        #expect(check.isCutOff(at: 19, now: start + 10 * Self.second - 1) == false)
        #expect(check.isCutOff(at: 19, now: start + 10 * Self.second) == true)
    }

    @Test func aLogThatReachesTheCommitMeanwhileIsWhole() {
        var check = self.check
        #expect(check.isCutOff(at: 19, now: 0) == false)
        #expect(check.isCutOff(at: 20, now: 9 * Self.second) == false)
        #expect(check.isCutOff(at: 19, now: 18 * Self.second) == false)
        #expect(check.isCutOff(at: 19, now: 28 * Self.second - 1) == false)
        #expect(check.isCutOff(at: 19, now: 28 * Self.second) == true)
    }
}
