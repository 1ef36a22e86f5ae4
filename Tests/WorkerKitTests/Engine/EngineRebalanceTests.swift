import Kafka
import Simulation
import Testing

@testable import ServiceKit
@testable import WorkerKit

/// Assignment, revocation, loss, and the way out.
struct EngineRebalanceTests {
    private typealias Reply = SimulatedUpstream.Reply

    private func stop(_ worker: SimulatedWorker) {
        worker.engine.stop()
        worker.wakesAt = .min
    }

    @Test func revokeDrainsToItsDeadline() throws {
        let simulation = Simulation(partitions: 1) { $0.drainLimit = .seconds(20) }
        for index in 0..<10 { simulation.cluster.append("\(index)") }
        simulation.reply = { Reply(200, after: $0.offset == 9 ? .seconds(500) : .seconds(10)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        simulation.cluster.rebalance()
        try simulation.run(for: .seconds(18))
        #expect(worker.broker.membership == .asked)
        #expect(simulation.cluster.fates().compactMap(\.self).count == 9)
        // The deadline has passed: what is finished is committed, and the partition is given up.
        try simulation.run(for: .seconds(2.5))
        #expect(worker.broker.membership == .assigned)
        #expect(simulation.cluster.committedOffset() == 9)
        #expect(simulation.violations == [])
    }

    /// Storm 273 slept through it, for up to a second: who is killed in a drain has what was committed by then.
    @Test func whatFinishesInADrainIsCommittedWhenTheNextCommitIsDue() throws {
        let simulation = Simulation { $0.commitInterval = .milliseconds(400) }
        for index in 0..<2 { simulation.cluster.append("\(index)") }
        simulation.reply = { Reply(200, after: $0.offset == 0 ? .milliseconds(450) : .seconds(15)) }
        simulation.startWorker()
        try simulation.run(for: .milliseconds(440))
        simulation.cluster.rebalance()
        try simulation.run(for: .milliseconds(450))
        #expect(simulation.cluster.committedOffset() == 1)
        #expect(simulation.violations == [])
    }

    @Test func aRevokeWithNothingInHandIsAnsweredAtOnce() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        let worker = simulation.startWorker()
        try simulation.settleEverything()
        try simulation.run(for: .seconds(5))
        simulation.cluster.rebalance()
        #expect(try simulation.run(for: .milliseconds(1)) { worker.broker.membership == .given })
    }

    @Test func lostPartitionsCommitNothing() throws {
        let simulation = Simulation()
        for index in 0..<50 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .milliseconds(300)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .milliseconds(301))
        let commits = simulation.cluster.commits
        #expect(worker.engine.table.count > 0)
        simulation.cluster.expel(worker.broker)
        try worker.turn()
        #expect(worker.engine.table.count == 0)
        #expect(simulation.cluster.commits == commits)
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.violations == [])
    }

    @Test func staleCompletionsAreDroppedAndCounted() throws {
        let simulation = Simulation { $0.concurrency = 4 }
        for index in 0..<4 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .seconds(5)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        simulation.cluster.expel(worker.broker)
        try simulation.run(for: .seconds(1))
        // Their slots stay taken until they are back: the upstream is still at work on them. One of two endpoints takes
        // three slots of four, and the fourth is for the other.
        #expect(worker.engine.table.orphanedCalls == 3)
        #expect(worker.upstream.calls.count == 3)
        #expect(try simulation.settleEverything(within: .seconds(20)))
        #expect(worker.engine.table.orphanedCalls == 0)
        #expect(worker.upstream.calls.count == 7)
        #expect(simulation.cluster.published.count == 4)
        #expect(simulation.violations == [])
    }

    @Test func aReportForARecordOfAnEarlierAssignmentSettlesNothing() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        var isSlow = true
        simulation.cluster.produceFate = { _ in
            isSlow
                ? .failed(.timedOut, after: .seconds(3), isWritten: false)
                : .acknowledged(after: .seconds(10))
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        simulation.cluster.expel(worker.broker)
        isSlow = false
        try simulation.run(for: .seconds(1))
        #expect(worker.engine.table.settlingCount == 1)
        // The report of the first try arrives now, under an old name.
        try simulation.run(for: .seconds(5))
        #expect(worker.engine.table.settlingCount == 1)
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.cluster.published.count == 1)
        #expect(simulation.violations == [])
    }

    @Test func aSecondAssignmentWithoutARevokeForgetsTheFirst() throws {
        let simulation = Simulation(partitions: 2)
        for index in 0..<20 { simulation.cluster.append("\(index)", to: Int32(index % 2)) }
        simulation.reply = { _ in Reply(200, after: .seconds(2)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        worker.broker.inject(.assigned([TopicPartition(topic: SimulatedCluster.topic, partition: 1)]))
        worker.broker.partitionsGivenUp()
        try worker.turn()
        #expect(worker.engine.assignments.count == 1)
        try simulation.run(for: .seconds(10))
        #expect(simulation.cluster.fates(in: 1).compactMap(\.self).count == 10)
        #expect(simulation.violations == [])
    }

    @Test func stopDrainsCommitsAndLeaves() throws {
        let simulation = Simulation()
        for index in 0..<1_000 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .seconds(3)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        self.stop(worker)
        #expect(try simulation.run(for: .seconds(3)) { worker.hasEnded })
        #expect(worker.upstream.calls.count == 48)
        #expect(simulation.cluster.committedOffset() == 48)
        #expect(simulation.cluster.members.isEmpty)
        #expect(worker.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func stopWithRetriesWaitingSleepsAndLeavesAtOnce() throws {
        let simulation = Simulation()
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        simulation.reply = { $0.offset == 0 ? Reply(200, after: .seconds(15)) : Reply(409) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        self.stop(worker)
        // Retries that fall due during the drain begin nothing, and keep nobody awake.
        #expect(try simulation.run(for: .seconds(15)) { worker.hasEnded })
        #expect(simulation.cluster.committedOffset() == 1)
        #expect(simulation.violations == [])
    }

    @Test func stopDuringAnAssignmentAnswersItAndLeaves() throws {
        let simulation = Simulation()
        simulation.cluster.append("x")
        simulation.cluster.committedFate = { .timedOut }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        #expect(worker.broker.membership == .given)
        self.stop(worker)
        #expect(try simulation.run(for: .milliseconds(100)) { worker.hasEnded })
        #expect(worker.broker.hasLeft)
    }

    @Test func stopBeforeAnyAssignmentLeaves() throws {
        let simulation = Simulation()
        let worker = simulation.startWorker()
        self.stop(worker)
        #expect(try simulation.run(for: .milliseconds(100)) { worker.hasEnded })
        #expect(worker.broker.hasLeft)
    }

    @Test(arguments: [0, 1, 500, 2_990, 3_001, 3_003, 3_005])
    func revokeDuringAStopIsAnsweredAndTheStopGoesOn(milliseconds: Int) throws {
        let simulation = Simulation(partitions: 2)
        for index in 0..<40 { simulation.cluster.append("\(index)", to: Int32(index % 2)) }
        simulation.reply = { _ in Reply(200, after: .seconds(4)) }
        simulation.cluster.commitFate = { _ in .acknowledged(after: .milliseconds(10)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        self.stop(worker)
        try simulation.run(for: .milliseconds(milliseconds))
        simulation.cluster.rebalance()
        #expect(try simulation.run(for: .seconds(4)) { worker.hasEnded })
        #expect(simulation.cluster.isEverythingCommitted)
        #expect(simulation.violations == [])
    }

    @Test func stopDuringARevokeLeavesAfterIt() throws {
        let simulation = Simulation()
        for index in 0..<10 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .seconds(4)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        simulation.cluster.rebalance()
        try simulation.run(for: .seconds(1))
        self.stop(worker)
        #expect(try simulation.run(for: .seconds(2.1)) { worker.hasEnded })
        #expect(simulation.cluster.isEverythingCommitted)
        #expect(simulation.violations == [])
    }

    @Test func lostDuringAStopCommitsNothingAndLeaves() throws {
        let simulation = Simulation()
        for index in 0..<10 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .seconds(4)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        self.stop(worker)
        try simulation.run(for: .seconds(1))
        simulation.cluster.expel(worker.broker)
        #expect(try simulation.run(for: .milliseconds(100)) { worker.hasEnded })
        #expect(simulation.cluster.committedOffset() == 0)
        #expect(simulation.violations == [])
    }

    @Test func theLastCommitIsTriedAgain() throws {
        let simulation = Simulation()
        for index in 0..<10 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(200, after: .seconds(4)) }
        var tries = 0
        simulation.cluster.commitFate = { _ in
            tries += 1
            return tries < 4
                ? .failed(.timedOut, after: .milliseconds(50), isStored: false)
                : .acknowledged(after: .milliseconds(50))
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        self.stop(worker)
        #expect(try simulation.run(for: .seconds(5)) { worker.hasEnded })
        #expect(simulation.cluster.isEverythingCommitted)
    }

    @Test func aBrokerThatNeverLetsGoIsLeftAllTheSame() throws {
        let simulation = Simulation { $0.commitLimit = .seconds(5) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        // The group's answer to the goodbye never comes: the revocation is swallowed.
        worker.broker.isMute = true
        self.stop(worker)
        #expect(try simulation.run(for: .seconds(6)) { worker.hasEnded })
    }

    @Test func unknownCommittedOffsetsAreAskedForAgain() throws {
        let simulation = Simulation()
        for index in 0..<5 { simulation.cluster.append("\(index)") }
        simulation.cluster.committedFate = { simulation.seconds < 10 ? .timedOut : nil }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(15)))
        #expect(simulation.violations == [])
    }

    @Test func workIsSharedAmongWorkersAndSurvivesTheirComingAndGoing() throws {
        let simulation = Simulation(partitions: 4)
        for index in 0..<2_000 {
            simulation.cluster.append("\(index)", key: "k\(index % 50)", to: Int32(index % 4))
        }
        simulation.reply = { _ in Reply(200, after: .milliseconds(200)) }
        let first = simulation.startWorker()
        simulation.after(.seconds(1)) { simulation.startWorker() }
        simulation.after(.seconds(2)) { simulation.startWorker() }
        simulation.after(.seconds(3)) { simulation.kill(first) }
        #expect(try simulation.settleEverything(within: .seconds(120)))
        #expect(simulation.violations == [])
    }

    @Test func anArrivalAfterALongSilenceIsTakenUpAtOnce() throws {
        let simulation = Simulation()
        simulation.startWorker()
        try simulation.run(for: .seconds(100))
        simulation.after(.milliseconds(333)) { simulation.cluster.append("x") }
        #expect(
            try simulation.run(for: .milliseconds(360)) {
                simulation.cluster.isEverythingSettled
                    && !simulation.cluster.published.isEmpty
            }
        )
    }
}
