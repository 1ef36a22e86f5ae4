import ServiceKit
import Testing

struct LandmarkCheckTests {
    private static let second: Int64 = 1_000_000_000

    private let check: LandmarkCheck

    init() throws { self.check = try Self.check() }

    private static func check(newest: Landmark? = nil) throws -> LandmarkCheck {
        try #require(LandmarkCheck(Landmark(offset: 15, timestamp: 1_700), newest: newest, below: 20))
    }

    @Test func whatLiesBeforeTheCommitIsSettled() {
        #expect(self.check.look(at: 15, timestamp: 1_700) == .settled)
        #expect(self.check.look(at: 19, timestamp: 9) == .settled)
    }

    /// Records after the commit can have been finished too, so the check goes on to the newest that was taken up.
    @Test func anotherRecordAtTheNewestShowsThatTheLogLostItsEnd() throws {
        let check = try Self.check(newest: Landmark(offset: 60, timestamp: 1_800))
        #expect(check.look(at: 15, timestamp: 1_700) == .settled)
        #expect(check.look(at: 19, timestamp: 9) == .settled)
        #expect(check.look(at: 20, timestamp: 9) == .open)
        #expect(check.look(at: 59, timestamp: 9) == .open)
        #expect(check.look(at: 60, timestamp: 1_800) == .over)
        #expect(check.look(at: 60, timestamp: 1_801) == .cutOff)
        #expect(check.look(at: 60, timestamp: nil) == .cutOff)
        // It was compacted away.
        #expect(check.look(at: 61, timestamp: 9) == .over)
        #expect(check.firstInDoubt == 16)
    }

    @Test func aRecordWhereTheCommitKnewOfNoneShowsThatTheLogLostItsEnd() throws {
        for newest in [15, 17] as [Int64] {
            let check = try Self.check(newest: Landmark(offset: newest, timestamp: 1_700))
            #expect(check.look(at: 15, timestamp: 1_700) == .settled)
            #expect(check.look(at: 17, timestamp: 1_700) == (newest == 17 ? .settled : .cutOff))
            #expect(check.look(at: 18, timestamp: 1_700) == .cutOff)
            #expect(check.look(at: 20, timestamp: 1_700) == .over)
        }
    }

    @Test func theNewestRecordSufficesForACheck() throws {
        let newest = Landmark(offset: 60, timestamp: 1_800)
        let check = try #require(LandmarkCheck(nil, newest: newest, below: 20))
        #expect(check.look(at: 20, timestamp: 9) == .open)
        #expect(check.look(at: 60, timestamp: 9) == .cutOff)
        #expect(check.look(at: 3, timestamp: 9) == .over)
        #expect(check.firstInDoubt == 20)
        #expect(check.isLost(at: 20) == false)
        #expect(LandmarkCheck(nil, newest: nil, below: 20) == nil)
    }

    @Test func aLogIsTooShortIfItEndsBeforeWhatTheCommitSpeaksOf() throws {
        #expect(self.check.isShort(at: 19) == true)
        #expect(self.check.isShort(at: 20) == false)
        let check = try Self.check(newest: Landmark(offset: 60, timestamp: 1_800))
        #expect(check.isShort(at: 60) == true)
        #expect(check.isShort(at: 61) == false)
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
