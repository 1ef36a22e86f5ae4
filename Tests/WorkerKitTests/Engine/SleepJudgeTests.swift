import ServiceKit
import Testing

@testable import Simulation

/// The judge of the simulation that finds a worker that never sleeps.
struct SleepJudgeTests {
    private static let now = Moment(monotonic: 7, wall: 7)

    @Test func turnsWithoutProgressAtOneInstantAreTooMany() throws {
        var judge = SleepJudge()
        for _ in 0...2_000 { try judge.turned(at: Self.now, progress: 1) }
        #expect(throws: SleepJudge.Restless.self) { try judge.turned(at: Self.now, progress: 1) }
    }

    /// A worker that has room for one record reads the finished ones after a restart one by one.
    @Test func turnsThatReadAreNotTooMany() throws {
        var judge = SleepJudge()
        for count in 0..<10_000 { try judge.turned(at: Self.now, progress: count) }
    }

    @Test func timeThatPassesIsRest() throws {
        var judge = SleepJudge()
        for time in 0..<10_000 { try judge.turned(at: Moment(monotonic: Int64(time), wall: 7), progress: 1) }
    }
}
