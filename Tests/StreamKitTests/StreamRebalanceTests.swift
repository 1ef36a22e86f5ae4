import Simulation
import StreamKit
import Testing

/// The knowledge of a stream engine about a partition belongs to it as long as nobody else can have changed
/// it.
struct StreamRebalanceTests {
    @Test func aTaskIsReusedAfterACleanRevoke() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        #expect(worker.restores == 2)
        simulation.cluster.rebalance()
        simulation.append(5..<15)
        try simulation.expectEverythingSettled()
        #expect(worker.log.count("took up partitions") == 2)
        #expect(worker.restores == 2)
    }

    @Test func aTaskIsNotReusedAfterALoss() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        // Its last commit has been answered, and nothing is under way.
        try simulation.run(for: .seconds(1))
        simulation.cluster.expel(worker.broker)
        try simulation.run(for: .milliseconds(100))
        simulation.append(5..<15)
        try simulation.expectEverythingSettled()
        #expect(worker.restores == 4)
    }

    @Test func aTaskIsNotReusedWhereAnotherHasWrittenSince() throws {
        var setup = StreamSetup()
        setup.pace = .seconds(5)
        let simulation = StreamSimulation(setup)
        let other = simulation.startWorker()
        let sleeper = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        // Partitions go round: now this one has that of the input.
        simulation.cluster.rebalance()
        simulation.append(0..<10)
        try simulation.run(for: .seconds(2)) { simulation.cluster.isEverythingCommitted }
        let offset = simulation.cluster.committedOffset()
        #expect(sleeper.engine.processedRecords == 10)
        // It gives its partition up, what it counted is not told yet, and it falls asleep before it gets another.
        other.freeze(for: .seconds(1))
        simulation.cluster.rebalance()
        #expect(try simulation.run(for: .milliseconds(100)) { sleeper.broker.membership == .idle })
        sleeper.freeze(for: .seconds(20))
        simulation.depose(sleeper, for: .seconds(21))
        // The other one tells what is due, without reading anything.
        #expect(try simulation.settleEverything())
        #expect(simulation.cluster.committedOffset() == offset)
        #expect(simulation.seconds < 20)
        simulation.kill(other)
        simulation.append(5..<15)
        try simulation.expectEverythingSettled()
        #expect(sleeper.restores == 4)
    }

    @Test func whoWasTakenForDeadCommitsNothing() throws {
        let simulation = StreamSimulation()
        let zombie = simulation.startWorker()
        simulation.append(0..<10)
        // In the middle of its transaction the group goes on without it, and it does not know that for a while.
        var isCommitting = false
        simulation.cluster.transactionFate = { _ in
            isCommitting = true
            return .committed(after: .milliseconds(6))
        }
        #expect(try simulation.run(for: .seconds(2)) { isCommitting })
        simulation.depose(zombie, for: .seconds(5))
        let heir = simulation.startWorker()
        try simulation.expectEverythingSettled()
        #expect(zombie.log.count("transaction failed") > 0)
        #expect(heir.engine.processedRecords >= 10)
    }

    @Test func nothingIsProcessedBeforeAllThatStoodInTheChangelogIsRead() throws {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<10)
        // The commit is not to be seen yet: the changelog's partition has not been told.
        simulation.topics.markerDelay = { .seconds(7) }
        try simulation.run(for: .seconds(2)) { simulation.cluster.commits > 0 }
        simulation.kill(first)
        let second = simulation.startWorker()
        simulation.append(5..<15)
        try simulation.run(for: .seconds(5))
        #expect(second.engine.processedRecords == 0)
        #expect(second.engine.unreadiness == "reading back the state")
        try simulation.expectEverythingSettled()
    }

    /// Else a worker would wait for records that nobody writes.
    @Test func whatWasReadOfATopicThatIsGoneIsNotWaitedFor() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        // Every marker has arrived.
        try simulation.run(for: .seconds(1))
        simulation.kill(worker)
        simulation.topics.makeAnew("work.parts")
        let next = simulation.startWorker()
        let isAtWork = try simulation.run(for: .seconds(30)) {
            next.restores == 2 && next.engine.unreadiness == nil
        }
        #expect(isAtWork)
    }

    @Test func whoIsStoppedInARebalanceTakesUpNothing() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        simulation.cluster.rebalance()
        worker.stop()
        let other = simulation.startWorker()
        simulation.append(5..<15)
        #expect(try simulation.run(for: .seconds(2)) { worker.hasEnded })
        try simulation.expectEverythingSettled()
        #expect(other.engine.processedRecords >= 10)
    }

    @Test func whoIsNotHeardLeavesAllTheSame() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(2))
        worker.broker.isMute = true
        worker.stop()
        // The judge of a worker's end in time does not know that nobody answers.
        _ = try simulation.run(for: .seconds(20)) { worker.hasEnded }
        #expect(worker.hasEnded)
        #expect(simulation.seconds < 8)
    }
}
