import Simulation
import Testing

@testable import StreamKit

/// `run --stop-after`: a bound on what is taken in.
struct RecordQuotaTests {
    @Test func isSharedAndTakesBackWhatWasNotRead() {
        let quota = RecordQuota(10)
        #expect(quota.reserve(atMost: 6) == 6)
        #expect(quota.reserve(atMost: 6) == 4)
        #expect(quota.reserve(atMost: 6) == 0)
        quota.giveBack(3)
        #expect(quota.reserve(atMost: 6) == 3)
    }

    /// 5 that were asked for were once a whole batch.
    @Test func anEngineTakesInNoMoreThanItsQuota() throws {
        var setup = StreamSetup()
        setup.quota = RecordQuota(5)
        let simulation = StreamSimulation(setup)
        simulation.append(0..<90)
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        #expect(worker.engine.processedRecords == 5)
        worker.stop()
        try simulation.run(for: .seconds(5))
        #expect(simulation.cluster.committedOffset() == 5)
    }
}
