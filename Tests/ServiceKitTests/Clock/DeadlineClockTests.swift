import ServiceKit
import Testing

struct DeadlineClockTests {
    private static let start: Int64 = 1_700_000_000_000

    private static func moment(_ seconds: Int64, steppedBy step: Int64 = 0) -> Moment {
        Moment(monotonic: seconds * 1_000_000_000, wall: Self.start + (seconds + step) * 1_000)
    }

    @Test func clocksThatAgreeAreBelieved() {
        var clock = DeadlineClock()
        for second in 0..<100 { #expect(clock.read(Self.moment(Int64(second))) == .nothing) }
        #expect(clock.wall(at: Self.moment(99)) == Self.start + 99_000)
    }

    @Test func aStepAheadIsNotBelieved() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        #expect(clock.read(Self.moment(1, steppedBy: 300)) == .doubt(300_000))
        #expect(clock.read(Self.moment(2, steppedBy: 300)) == .nothing)
        #expect(clock.wall(at: Self.moment(2, steppedBy: 300)) == Self.start + 2_000)
    }

    @Test func aStepBackIsBelieved() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        #expect(clock.read(Self.moment(1, steppedBy: -300)) == .nothing)
        #expect(!clock.isInDoubt)
    }

    /// A clock that was wrong before the process started steps nowhere. The brokers' clock is the evidence then.
    @Test func aClockThatIsAheadOfTheBrokersAtTheStartIsNotBelieved() {
        var clock = DeadlineClock(aheadOfBrokersBy: 3_600_000)
        #expect(clock.read(Self.moment(0, steppedBy: 3_600)) == .doubt(3_600_000))
        #expect(clock.read(Self.moment(1, steppedBy: 3_600)) == .nothing)
        #expect(clock.wall(at: Self.moment(1, steppedBy: 3_600)) == Self.start + 1_000)
        #expect(clock.read(Self.moment(2)) == .settled)
        #expect(clock.wall(at: Self.moment(2)) == Self.start + 2_000)
    }

    @Test(arguments: [0, 9_999, -3_600_000, .min] as [Int64])
    func aSmallLeadAtTheStartAndAClockThatIsBehindAreBelieved(lead: Int64) {
        var clock = DeadlineClock(aheadOfBrokersBy: lead)
        #expect(clock.read(Self.moment(0)) == .nothing)
        #expect(clock.wall(at: Self.moment(0)) == Self.start)
    }

    @Test func aStepThatIsTakenBackIsNoDoubt() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        _ = clock.read(Self.moment(1, steppedBy: 300))
        #expect(clock.read(Self.moment(2)) == .settled)
        #expect(clock.wall(at: Self.moment(2)) == Self.start + 2_000)
    }

    /// As after the suspension of a virtual machine: time has passed that the monotonic clock has not counted.
    @Test func recordsOfTheNewTimeConfirmIt() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        _ = clock.read(Self.moment(1, steppedBy: 300))
        let now = Self.moment(2, steppedBy: 300)
        // Records that come together count once.
        #expect(clock.saw(timestamp: Self.start - 3_600_000, at: now) == .nothing)
        #expect(clock.saw(timestamp: now.wall + 60_000, at: now) == .nothing)
        for _ in 0..<100 { #expect(clock.saw(timestamp: now.wall - 10, at: now) == .nothing) }
        for second in [12, 22] as [Int64] {
            let then = Self.moment(second, steppedBy: 300)
            #expect(clock.saw(timestamp: then.wall - 10, at: then) == .nothing)
        }
        let later = Self.moment(32, steppedBy: 300)
        #expect(clock.saw(timestamp: later.wall - 10, at: later) == .settled)
        #expect(clock.wall(at: later) == later.wall)
    }

    /// A clock that was behind and is set too far ahead: records stand between the two times, and say which is right.
    @Test func theNewTimeIsBelievedAsFarAsRecordsReach() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        _ = clock.read(Self.moment(1, steppedBy: 9_000))
        func real(_ now: Moment) -> Int64 { now.wall - 3_000_000 }
        for second in [2, 12, 22] as [Int64] {
            let then = Self.moment(second, steppedBy: 9_000)
            #expect(clock.saw(timestamp: real(then), at: then) == .nothing)
        }
        let later = Self.moment(32, steppedBy: 9_000)
        #expect(clock.saw(timestamp: real(later), at: later) == .corrected(3_000_000))
        #expect(clock.wall(at: later) == real(later))
        #expect(clock.isInDoubt)
    }

    /// A clock that steps back twice, and ahead once, is behind. No record is as old as it says, and the doubt once lasted
    /// for ever: delayed records waited by a clock that was hours behind.
    @Test func recordsThatAreLaterThanAClockConfirmIt() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        #expect(clock.read(Self.moment(1, steppedBy: -24_000)) == .nothing)
        #expect(clock.read(Self.moment(2, steppedBy: -10_000)) == .doubt(14_000_000))
        for second in [3, 13, 23] as [Int64] {
            let now = Self.moment(second, steppedBy: -10_000)
            #expect(clock.saw(timestamp: Self.moment(second).wall, at: now) == .nothing)
        }
        let later = Self.moment(33, steppedBy: -10_000)
        #expect(clock.saw(timestamp: Self.moment(33).wall, at: later) == .settled)
        #expect(clock.wall(at: later) == later.wall)
    }

    @Test func recordsOfTheOldTimeSpeakAgainstIt() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        _ = clock.read(Self.moment(1, steppedBy: 300))
        for second in Int64(2)..<100 {
            let now = Self.moment(second, steppedBy: 300)
            #expect(clock.read(now) == .nothing)
            #expect(clock.saw(timestamp: Self.start + second * 1_000, at: now) == .nothing)
        }
        #expect(clock.isInDoubt)
    }

    /// A publisher that dates its records ahead does not confirm a wrong clock while others date theirs rightly.
    @Test func oneRecordOfTheOldTimeOutweighsManyOfTheNew() {
        var clock = DeadlineClock()
        _ = clock.read(Self.moment(0))
        _ = clock.read(Self.moment(1, steppedBy: 300))
        for second in Int64(2)..<200 {
            let now = Self.moment(second, steppedBy: 300)
            for _ in 0..<10 { #expect(clock.saw(timestamp: now.wall, at: now) == .nothing) }
            if second % 20 == 0 {
                #expect(clock.saw(timestamp: Self.start + second * 1_000, at: now) == .nothing)
            }
        }
        #expect(clock.isInDoubt)
    }

    @Test func extremeTimesDoNotTrap() {
        var clock = DeadlineClock()
        _ = clock.read(Moment(monotonic: .min, wall: .min))
        _ = clock.read(Moment(monotonic: .max, wall: .max))
        _ = clock.read(Moment(monotonic: .min, wall: .min))
        _ = clock.saw(timestamp: .min, at: Moment(monotonic: .max, wall: .max))
    }
}
