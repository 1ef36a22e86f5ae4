import ServiceKit
import Testing

final class LandmarkCheckTests {
    private var check: LandmarkCheck
    /// The monotonic time, in nanoseconds.
    private var now: Int64 = 100_000_000_000

    init() throws { self.check = try Self.check() }

    /// - Parameter isSeen: Whether the landmark has been read.
    private static func check(newest: Landmark? = nil, isSeen: Bool = true) throws -> LandmarkCheck {
        var check = try #require(
            LandmarkCheck(Landmark(offset: 15, timestamp: 1_700), newest: newest, below: 20)
        )
        if isSeen { _ = check.look(at: 15, timestamp: 1_700) }
        return check
    }

    @Test func whatLiesBeforeTheCommitIsSettled() {
        #expect(self.look(15, 1_700) == .settled)
        #expect(self.look(19, 9) == .settled)
    }

    /// Records after the commit can have been finished too, so the check goes on to the newest that was taken up.
    @Test func anotherRecordAtTheNewestShowsThatTheLogLostItsEnd() throws {
        self.check = try Self.check(newest: Landmark(offset: 60, timestamp: 1_800))
        #expect(self.look(15, 1_700) == .settled)
        #expect(self.look(19, 9) == .settled)
        #expect(self.look(20, 9) == .open)
        #expect(self.look(59, 9) == .open)
        #expect(self.look(60, 1_800) == .over)
        #expect(self.look(60, 1_801) == .cutOff)
        #expect(self.look(60, nil) == .cutOff)
        #expect(self.check.firstInDoubt == 16)
    }

    @Test func aRecordWhereTheCommitKnewOfNoneShowsThatTheLogLostItsEnd() throws {
        for newest in [15, 17] as [Int64] {
            self.check = try Self.check(newest: Landmark(offset: newest, timestamp: 1_700))
            #expect(self.look(15, 1_700) == .settled)
            #expect(self.look(17, 1_700) == (newest == 17 ? .settled : .cutOff))
            #expect(self.look(18, 1_700) == .cutOff)
            #expect(self.look(20, 1_700) == .over)
        }
    }

    @Test func theNewestRecordSufficesForACheck() throws {
        let newest = Landmark(offset: 60, timestamp: 1_800)
        self.check = try #require(LandmarkCheck(nil, newest: newest, below: 20))
        #expect(self.look(20, 9) == .open)
        #expect(self.look(60, 9) == .cutOff)
        #expect(self.look(3, 9) == .madeAnew)
        #expect(self.check.firstInDoubt == 20)
        #expect(LandmarkCheck(nil, newest: nil, below: 20) == nil)
    }

    @Test func aLogIsTooShortIfItEndsBeforeWhatTheCommitSpeaksOf() throws {
        #expect(self.look(atEnd: 19) == .open)
        #expect(self.look(atEnd: 20) == .over)
        self.check = try Self.check(newest: Landmark(offset: 60, timestamp: 1_800))
        #expect(self.look(atEnd: 60) == .open)
        #expect(self.look(atEnd: 61) == .over)
    }

    @Test(arguments: [1_699, nil]) func anotherRecordAtTheLandmarkIsOfAnotherTopic(timestamp: Int64?) {
        #expect(self.look(15, timestamp) == .madeAnew)
    }

    /// The reader was sent back, because the log has no record at the landmark and after it.
    @Test(arguments: [0, 14]) func aRecordBeforeTheLandmarkIsOfAnotherTopic(offset: Int64) {
        #expect(self.look(offset, 1_700) == .madeAnew)
    }

    /// Retention may have taken the landmark, and then reading begins after it.
    @Test(arguments: [20, 1_000]) func nothingElseIsLookedAt(offset: Int64) {
        #expect(self.look(offset, 1_700) == .over)
    }

    /// Where records before it are there, the newest one cannot have been taken by retention. Nothing says so of a log that
    /// begins after it.
    @Test(arguments: [16, 19, 20, 59] as [Int64], [61, 90] as [Int64])
    func aNewestRecordThatIsMissingShowsThatTheLogLostItsEnd(before: Int64, after: Int64) throws {
        let newest = Landmark(offset: 60, timestamp: 1_800)
        self.check = try Self.check(newest: newest)
        #expect(self.look(after, 9) == .over)
        for hasLandmark in [false, true] {
            let finding = hasLandmark ? LandmarkCheck.Finding.cutOff : .madeAnew
            self.check = try Self.check(newest: newest, isSeen: hasLandmark)
            #expect(self.look(before, 9) != .over)
            #expect(self.look(after, 9) == finding)
            self.check = try Self.check(newest: newest, isSeen: hasLandmark)
            #expect(self.look(before, 9) != .over)
            #expect(self.look(atEnd: after) == finding)
        }
    }

    @Test func aNewestRecordBeforeTheCommitCanBeMissingToo() throws {
        self.check = try Self.check(newest: Landmark(offset: 17, timestamp: 1_700))
        #expect(self.look(16, 9) == .settled)
        #expect(self.look(20, 9) == .cutOff)
        self.check = try Self.check(newest: Landmark(offset: 17, timestamp: 1_700))
        #expect(self.look(16, 9) == .settled)
        #expect(self.look(17, 1_700) == .settled)
        #expect(self.look(20, 9) == .over)
    }

    @Test func inACompactedTopicAMissingRecordShowsNothing() throws {
        let newest = Landmark(offset: 60, timestamp: 1_800)
        let landmark = Landmark(offset: 15, timestamp: 1_700)
        self.check = try #require(LandmarkCheck(landmark, newest: newest, below: 20, isCompacted: true))
        #expect(self.look(16, 9) == .settled)
        #expect(self.look(20, 9) == .open)
        #expect(self.look(61, 9) == .over)
    }

    /// After a change of its leader, the end of a log lags behind for a moment.
    @Test func aLogThatEndsTooSoonIsBelievedAfterTenSeconds() {
        #expect(self.look(atEnd: 19, for: 9) == .open)
        #expect(self.look(atEnd: 19, for: 1) == .cutOff)
    }

    /// Records that come one by one once put it off for as long as the log was too short.
    @Test func aLogThatGrowsSlowlyIsTooShortForAsLong() {
        #expect(self.look(atEnd: 18, for: 5) == .open)
        #expect(self.look(18, 9) == .settled)
        #expect(self.look(atEnd: 19, for: 4) == .open)
        #expect(self.look(atEnd: 19, for: 1) == .cutOff)
    }

    /// A worker whose hands are full does not look, and the log can be whole meanwhile.
    @Test func anEndThatWasNotLookedAtIsBelievedTenSecondsLater() {
        #expect(self.look(atEnd: 19, for: 9) == .open)
        self.now += 4_000_000_000
        #expect(self.look(atEnd: 19, for: 9) == .open)
        #expect(self.look(atEnd: 19, for: 1) == .cutOff)
    }

    /// The reader stands at the end if the log ends at the landmark, and is sent back if it ends before.
    @Test(
        arguments: [
            (end: 16, landmark: 15, finding: .madeAnew), (15, 15, .madeAnew), (14, 15, .emptied),
            (0, 15, .emptied),
            (0, 0, .emptied),
        ] as [(end: Int64, landmark: Int64, finding: LandmarkCheck.Finding)]
    )
    func aLogThatLostItsLandmarkIsAnother(end: Int64, landmark: Int64, finding: LandmarkCheck.Finding)
        throws
    {
        self.check = try #require(
            LandmarkCheck(Landmark(offset: landmark, timestamp: 7), newest: nil, below: 20)
        )
        #expect(self.look(atEnd: end, for: 10) == finding)
    }

    private func look(_ offset: Int64, _ timestamp: Int64?) -> LandmarkCheck.Finding {
        self.check.look(at: offset, timestamp: timestamp)
    }

    /// Looks at the end of the log once a second.
    private func look(atEnd end: Int64, for seconds: Int = 0) -> LandmarkCheck.Finding {
        var finding = self.check.look(atEnd: end, now: self.now)
        for _ in 0..<seconds where finding == .open {
            self.now += 1_000_000_000
            finding = self.check.look(atEnd: end, now: self.now)
        }
        return finding
    }
}
