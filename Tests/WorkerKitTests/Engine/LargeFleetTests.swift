import Simulation
import Testing
import WorkerKit

/// A fleet of many workers starts, loses one and restarts others, and the report counts what that took.
/// `flotilla-lab simulate --large-fleet` has 100 workers and 1,000 partitions.
@Suite struct LargeFleetTests {
    @Test(arguments: [EngineSettings.Delivery.atLeastOnce, .exactlyOnce])
    func manyWorkersShareTheirPartitionsEvenly(_ delivery: EngineSettings.Delivery) throws {
        var plan = LargeFleetPlan()
        plan.workers = 12
        plan.partitions = 40
        plan.perSecond = 80
        plan.length = .seconds(6)
        plan.restarts = 2
        plan.delivery = delivery
        let report = try LargeFleet(plan).run()
        #expect(report.misses == [])
        let lines = report.lines.joined(separator: "\n")
        #expect(lines.contains("3 to 4 partitions a worker"))
        #expect(lines.contains("restarts      2 workers, 4 rebalances"))
        #expect(lines.contains("violations    none"))
    }

    @Test func aFleetWithoutRoomForItsLoadMissesItsGoal() throws {
        var plan = LargeFleetPlan()
        plan.workers = 12
        plan.partitions = 12
        plan.perSecond = 400
        plan.length = .seconds(6)
        plan.restarts = 1
        // 12 workers with 64 calls of 40 s each make 19 calls a second.
        plan.latency = .seconds(40)
        let report = try LargeFleet(plan).run()
        #expect(!report.misses.isEmpty)
    }
}
