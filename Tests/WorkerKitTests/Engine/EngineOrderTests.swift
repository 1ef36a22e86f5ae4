import Kafka
import Operations
import Simulation
import Testing

@testable import WorkerKit

/// Commits, completion out of order, restarts, and the order of keys.
struct EngineOrderTests {
    @Test func everyRecordGetsOneOutcomeAndIsCommitted() throws {
        let simulation = Simulation(partitions: 3)
        for index in 0..<300 {
            simulation.cluster.append("\(index)", key: "k\(index % 7)", to: Int32(index % 3))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(20)))
        #expect(simulation.cluster.published.count == 300)
        #expect(simulation.cluster.outcome(0)?.id == "work/0/0")
        #expect(simulation.worker.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func neverCommitsPastAnUnfinishedRecord() throws {
        let simulation = Simulation()
        for index in 0..<50 { simulation.cluster.append("\(index)") }
        simulation.reply = { $0.offset == 7 ? .timeout(after: .seconds(60)) : SimulatedUpstream.Reply(200) }
        simulation.startWorker()
        try simulation.run(for: .seconds(30))
        #expect(simulation.cluster.committedOffset() == 7)
        #expect(simulation.cluster.fates().compactMap(\.self).count == 49)
        #expect(simulation.violations == [])
    }

    @Test func outOfOrderCompletionCommitsTheContiguousPrefix() throws {
        let simulation = Simulation()
        for index in 0..<5 { simulation.cluster.append("\(index)") }
        simulation.reply = { SimulatedUpstream.Reply(200, after: .seconds(10 - 2 * $0.offset)) }
        simulation.startWorker()
        try simulation.run(for: .milliseconds(9_500))
        #expect(simulation.cluster.committedOffset() == nil || simulation.cluster.committedOffset() == 0)
        try simulation.run(for: .seconds(2))
        #expect(simulation.cluster.committedOffset() == 5)
        #expect(simulation.violations == [])
    }

    @Test func finishedBeyondTheCommitIsNotRedoneAfterARestart() throws {
        let simulation = Simulation()
        for index in 0..<40 { simulation.cluster.append("\(index)") }
        simulation.reply = {
            SimulatedUpstream.Reply(200, after: $0.offset == 3 ? .seconds(100) : .seconds(1))
        }
        let first = simulation.startWorker()
        try simulation.run(for: .seconds(10))
        simulation.kill(first)
        simulation.reply = { _ in SimulatedUpstream.Reply(200) }
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(second.upstream.calls.map(\.offset) == [3])
        #expect(simulation.cluster.published.count == 40)
        #expect(simulation.violations == [])
    }

    @Test func laterRecordsOfAKeyWaitWhileAnEarlierOneRetries() throws {
        let simulation = Simulation()
        for index in 0..<10 { simulation.cluster.append("\(index)", key: index % 2 == 0 ? "slow" : "quick") }
        var failures = 4
        simulation.reply = { call in
            guard call.offset == 0, failures > 0 else { return SimulatedUpstream.Reply(200) }
            failures -= 1
            return SimulatedUpstream.Reply(409, retryAfter: 10)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect(worker.upstream.calls.filter { $0.key == "slow" }.allSatisfy { $0.offset == 0 })
        #expect(simulation.cluster.fates().compactMap(\.self).count == 5)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    @Test func partitionOrderMakesOneCallAtATime() throws {
        let simulation = Simulation(partitions: 2) { $0.ordering = .partition }
        for index in 0..<40 { simulation.cluster.append("\(index)", to: Int32(index % 2)) }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(worker.upstream.mostInFlight == 2)
        #expect(simulation.violations == [])
    }

    @Test func recordsWithoutAKeyWaitForNobody() throws {
        let simulation = Simulation()
        for index in 0..<200 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(2)))
        // In its first two seconds an endpoint leaves a quarter of the slots to the other one.
        #expect(worker.upstream.mostInFlight == 48)
        #expect(simulation.violations == [])
    }

    /// The group of a topic that transactions write to has no lag when it has read everything.
    @Test(arguments: [false, true], [EngineSettings.Delivery.atLeastOnce, .exactlyOnce])
    func marksOfTransactionsAtTheEndAreCommitted(whileInHand: Bool, delivery: EngineSettings.Delivery) throws
    {
        let simulation = Simulation(partitions: 1) { $0.delivery = delivery }
        for index in 0..<5 { simulation.cluster.append("\(index)") }
        simulation.startWorker()
        if !whileInHand { try simulation.settleEverything() }
        for _ in 0..<3 { simulation.cluster.appendMarker() }
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.committedOffset() == 8)
        // The record after them is read like any other.
        simulation.cluster.append("last")
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.committedOffset() == 9)
        #expect(simulation.violations == [])
    }

    /// An end that was seen says nothing of a topic that was made anew.
    @Test func theEndOfATopicThatIsGonePassesNothing() throws {
        let simulation = Simulation(partitions: 1)
        for index in 0..<5 { simulation.cluster.append("\(index)") }
        for _ in 0..<3 { simulation.cluster.appendMarker() }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        simulation.cluster.makeAnew()
        for index in 0..<3 { simulation.cluster.append("again \(index)") }
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.committedOffset() == 3)
        #expect(simulation.violations == [])
    }

    @Test func gapsInOffsetsAreNoObstacle() throws {
        let simulation = Simulation()
        for index in 0..<40 { simulation.cluster.append("\(index)", skipping: index % 5 == 0 ? 30_000 : 1) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(20)))
        #expect(simulation.violations == [])
    }

    /// Between two records, and behind the last one.
    @Test func offsetsWithoutARecordAreCounted() throws {
        let simulation = Simulation()
        let registry = PrometheusRegistry()
        simulation.metrics = registry
        for _ in 0..<2 {
            simulation.cluster.append("ok")
            for _ in 0..<3 { simulation.cluster.appendMarker() }
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(20)))
        #expect(registry.exposition().contains("\nworker_absent_offsets_total 6\n"))
    }

    @Test func topicMadeAnewIsReadFromItsBeginning() throws {
        let simulation = Simulation()
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(10)))
        simulation.cluster.makeAnew()
        for index in 0..<10 { simulation.cluster.append("new \(index)") }
        for worker in simulation.workers { worker.wakesAt = .min }
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.cluster.committedOffset() == 10)
        #expect(simulation.violations == [])
    }

    @Test func anothersCommitMetadataIsIgnored() throws {
        let simulation = Simulation()
        for index in 0..<10 { simulation.cluster.append("\(index)") }
        let partition = TopicPartition(topic: SimulatedCluster.topic, partition: 0)
        simulation.cluster.stored[partition] = CommittedPosition(
            partition: partition,
            offset: 0,
            metadata: "lAAAAnot ours"
        )
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(10)))
    }

    @Test func boundsOnRecordsAndBytesHold() throws {
        let simulation = Simulation(partitions: 2) {
            $0.recordsLimit = 500
            $0.bytesLimit = 1 << 20
        }
        for index in 0..<2_000 {
            simulation.cluster.append(String(repeating: "x", count: 2_000), key: "hot", to: Int32(index % 2))
        }
        let worker = simulation.startWorker()
        var mostRecords = 0
        var mostBytes = 0
        try simulation.run(for: .seconds(200)) {
            mostRecords = max(mostRecords, worker.engine.table.count)
            mostBytes = max(mostBytes, worker.engine.table.bytes)
            return simulation.cluster.isEverythingSettled
        }
        #expect(mostRecords <= 500)
        #expect(mostBytes <= 1 << 20 + 64 * 3_000)
        #expect(mostBytes > 1 << 19)
        #expect(simulation.cluster.isEverythingSettled)
        #expect(simulation.violations == [])
    }

    @Test func aPartitionWhoseWindowIsFullWaitsForItsOldestRecord() throws {
        let simulation = Simulation {
            $0.concurrency = 512
            $0.ordering = .none
            $0.resolvesHeadOfLine = false
        }
        for index in 0..<18_000 { simulation.cluster.append("\(index)") }
        var isStuck = true
        simulation.reply = { call in
            call.offset == 0 && isStuck
                ? SimulatedUpstream.Reply(409, retryAfter: 30)
                : SimulatedUpstream.Reply(200, after: .milliseconds(1))
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(29))
        #expect(worker.engine.assignments[0].progress?.next == Int64(PartitionProgress.window))
        #expect(simulation.cluster.committedOffset() == 0)
        isStuck = false
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.violations == [])
    }
}
