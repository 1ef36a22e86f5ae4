import Testing

@testable import Harness
@testable import Rehearsal
@testable import Trials

struct TakeoversTests {
    @Test func aPartitionWaitsUntilSomebodyElseHasTakenARecordUp() {
        var takeovers = Takeovers()
        takeovers.killed(at: 1_000, with: [1, 2], "worker 1")
        // The victim had taken this one up.
        takeovers.found(1, receivedAt: 990)
        takeovers.found(1, receivedAt: 1_000)
        #expect(takeovers.waits == [] && takeovers.unfinished.count == 1)
        takeovers.found(1, receivedAt: 4_000)
        takeovers.found(1, receivedAt: 4_001)
        takeovers.found(3, receivedAt: 4_001)
        #expect(takeovers.waits == [3_000])
        #expect(takeovers.unfinished.first?.contains("partition 2") == true)
        #expect(takeovers.takeEnded().isEmpty)
        takeovers.found(2, receivedAt: 6_000)
        #expect(takeovers.takeEnded().map(\.after) == [.seconds(5)] && takeovers.takeEnded().isEmpty)
        #expect(takeovers.waits == [3_000, 5_000] && takeovers.unfinished == [])
        #expect(takeovers.median == 5_000 && takeovers.longest == 5_000 && takeovers.kills == 1)
    }

    /// Its next owner is killed before it has begun: the first wait is not over.
    @Test func twoKillsCanWaitForOnePartition() {
        var takeovers = Takeovers()
        takeovers.killed(at: 1_000, with: [1], "the first")
        takeovers.killed(at: 3_000, with: [1], "the second")
        takeovers.found(1, receivedAt: 2_500)
        #expect(takeovers.waits == [1_500])
        takeovers.found(1, receivedAt: 3_500)
        #expect(takeovers.waits == [1_500, 500] && takeovers.kills == 2)
    }

    @Test func aVictimThatHadNothingIsCountedAndNotWaitedFor() {
        var takeovers = Takeovers()
        takeovers.killed(at: 1_000, with: [], "worker 2")
        #expect(takeovers.kills == 1 && takeovers.unfinished == [] && takeovers.median == nil)
    }
}
