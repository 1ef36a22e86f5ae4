import Operations
import Simulation
import Testing

/// The numbers that a stream engine shows of its partitions.
struct StreamReportTests {
    @Test func lagAndBacklogEndAtZeroAndGoWithTheirPartition() throws {
        let registry = PrometheusRegistry()
        let simulation = StreamSimulation()
        simulation.metrics = registry
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        try simulation.run(for: .seconds(3))
        let page = registry.exposition()
        let label = #"{partition="0",topic="\#(SimulatedCluster.topic)"}"#
        #expect(page.contains("worker_partition_log_end_offset\(label) 10\n"), "\(page)")
        #expect(page.contains("worker_partition_lag_records\(label) 0\n"), "\(page)")
        #expect(page.contains("worker_partition_backlog_records\(label) 0\n"))
        #expect(page.contains("worker_oldest_unfinished_age_seconds\(label) 0\n"))
        #expect(page.contains("worker_backlog_records{thread=\"0\"} 0\n"))
        worker.stop()
        try simulation.run(for: .seconds(5))
        #expect(!registry.exposition().contains("worker_partition_"))
    }

    /// The reader's reports of an outage kept the thread of a worker awake for good, because nothing took them.
    @Test func whatTheReaderReportsDoesNotPileUp() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        let drops = worker.memory.drops
        try simulation.run(for: .seconds(20))
        #expect(worker.memory.drops >= drops + 19)
    }
}
