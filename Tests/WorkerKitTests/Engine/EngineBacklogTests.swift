import Operations
import Simulation
import Testing

@testable import WorkerKit

/// The numbers by which a fleet is scaled, and those that an alert tells of a partition and of a lane.
struct EngineBacklogTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static func lines(_ registry: PrometheusRegistry) -> Set<String> {
        Set(registry.exposition().split(separator: "\n").map(String.init))
    }

    private static func series(_ name: String, _ value: Int, partition: Int = 0) -> String {
        #"\#(name){partition="\#(partition)",topic="\#(SimulatedCluster.topic)"} \#(value)"#
    }

    /// One slow record holds the commit back: the group's lag is 100, and one record is left to do.
    @Test func theBacklogIsRightWhenRecordsFinishOutOfOrder() throws {
        let registry = PrometheusRegistry()
        let simulation = Simulation()
        simulation.metrics = registry
        simulation.reply = { Reply(200, after: $0.offset == 0 ? .seconds(60) : .milliseconds(20)) }
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        simulation.startWorker()
        try simulation.run(for: .seconds(10))
        let lines = Self.lines(registry)
        #expect(lines.contains(Self.series("worker_partition_lag_records", 100)))
        #expect(lines.contains(Self.series("worker_partition_backlog_records", 1)))
        #expect(lines.contains("worker_backlog_records 1"))
        #expect(lines.contains(Self.series("worker_partition_log_end_offset", 100)))
        #expect(lines.contains(Self.series("worker_partition_log_start_offset", 0)))
        // The last report may be a second old.
        let ages = [9, 10].map { Self.series("worker_oldest_unfinished_age_seconds", $0) }
        #expect(!lines.isDisjoint(with: ages), "\(lines.sorted())")
        #expect(simulation.violations == [])
    }

    /// Records that have not been read count too, and those that an earlier owner has settled do not.
    @Test func theBacklogCountsWhatIsUnreadAndNotWhatAnEarlierOwnerHasDone() throws {
        let registry = PrometheusRegistry()
        let simulation = Simulation {
            $0.concurrency = 4
            $0.recordsLimit = 64
        }
        simulation.metrics = registry
        simulation.reply = { Reply(200, after: $0.offset == 0 ? .seconds(600) : .milliseconds(10)) }
        for index in 0..<40 { simulation.cluster.append("\(index)") }
        let first = simulation.startWorker()
        try simulation.run(for: .seconds(10))
        simulation.kill(first)
        // The new owner reads nothing at first beyond the slow record, which is called for again.
        for index in 40..<140 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .seconds(600)) }
        simulation.startWorker()
        try simulation.run(for: .seconds(20))
        let lines = Self.lines(registry)
        #expect(lines.contains(Self.series("worker_partition_lag_records", 140)), "\(lines.sorted())")
        #expect(lines.contains(Self.series("worker_partition_backlog_records", 101)), "\(lines.sorted())")
    }

    @Test func theGaugesOfAPartitionThatIsGivenUpDisappear() throws {
        let registry = PrometheusRegistry()
        let simulation = Simulation(partitions: 2)
        simulation.metrics = registry
        for partition in 0..<2 { simulation.cluster.append("x", to: Int32(partition)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        #expect(Self.lines(registry).contains(Self.series("worker_partition_lag_records", 0, partition: 1)))
        worker.engine.stop()
        worker.wakesAt = .min
        try simulation.run(for: .seconds(5))
        #expect(!registry.exposition().contains("partition="), "\(registry.exposition())")
    }

    @Test func aHeldLaneTellsWhyUntilItIsOpenAgain() throws {
        let registry = PrometheusRegistry()
        let simulation = Simulation()
        simulation.metrics = registry
        simulation.reply = { _ in Reply(401) }
        simulation.cluster.append("x")
        simulation.startWorker()
        try simulation.run(for: .seconds(3))
        let held = Self.lines(registry).filter { $0.hasPrefix("worker_lane_held{") }
        #expect(held.count == 1)
        #expect(held.first?.contains("reason=") == true && held.first?.hasSuffix(" 1") == true)
        simulation.reply = { _ in Reply(200) }
        try simulation.run(for: .seconds(600))
        #expect(!registry.exposition().contains("worker_lane_held{"))
        #expect(simulation.violations == [])
    }
}
