import Kafka
import Records
import Simulation
import Testing
import UpstreamHTTP
import WorkerTestSupport

@testable import ServiceKit
@testable import WorkerKit

/// Ways in which records could be lost in silence: offsets that were moved, and clocks that were set.
struct LossSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static let input = TopicPartition(topic: SimulatedCluster.topic, partition: 0)

    // MARK: - Commit metadata speaks of one place only

    /// An operator, or MirrorMaker 2's sync of groups, moves the group and leaves the metadata as it was.
    private func move(_ simulation: Simulation, to offset: Int64) throws {
        let text = try #require(simulation.cluster.stored[Self.input]?.metadata)
        simulation.cluster.stored[Self.input] = CommittedPosition(
            partition: Self.input,
            offset: offset,
            metadata: text
        )
    }

    /// The group was moved to 10 with the metadata of 20, and 40 records were skipped; number 20 had no outcome.
    @Test(arguments: [0, 10, 19])
    func aGroupThatWasMovedDownSkipsNothing(offset: Int64) throws {
        let simulation = try Simulation.withOneUnfinished()
        try self.move(simulation, to: offset)
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.outcome(20)?.fate == "succeeded")
        #expect(simulation.violations == [])
    }

    @Test func aGroupThatWasMovedUpSkipsNothingBeyond() throws {
        let simulation = try Simulation.withOneUnfinished()
        for index in 61..<130 { simulation.cluster.append("ok", key: "k\(index)") }
        try self.move(simulation, to: 61)
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.fates()[61...].allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    @Test func aCommitOfAnotherPartitionSkipsNothing() throws {
        let simulation = try Simulation.withOneUnfinished(partitions: 2)
        let text = try #require(simulation.cluster.stored[Self.input]?.metadata)
        for index in 0..<61 { simulation.cluster.append("ok", key: "o\(index)", to: 1) }
        let other = TopicPartition(topic: SimulatedCluster.topic, partition: 1)
        // Both stand at 20 by chance, so that the offset alone cannot tell.
        simulation.cluster.stored[other] = CommittedPosition(partition: other, offset: 20, metadata: text)
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.fates(in: 1)[20...].allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    @Test func aCommitOfAnotherClusterSkipsNothing() throws {
        let text = try #require(try Simulation.withOneUnfinished().cluster.stored[Self.input]?.metadata)
        let simulation = Simulation()
        simulation.clusterID = "the mirror"
        for index in 0..<61 { simulation.cluster.append("ok", key: "k\(index)") }
        simulation.cluster.stored[Self.input] = CommittedPosition(
            partition: Self.input,
            offset: 20,
            metadata: text
        )
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.fates()[20...].allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    // MARK: - Clocks

    /// A clock that stepped ahead by the deadline once settled everything in hand as expired, for good.
    @Test(arguments: [361, 3_600, 400_000_000])
    func aClockThatStepsAheadExpiresNothing(seconds: Int) throws {
        let simulation = Simulation { $0.deadline = .seconds(300) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 10, for: .seconds(120))
        let worker = simulation.startWorker()
        // Some wait for a retry meanwhile.
        simulation.reply = {
            Reply($0.value == "late" && $0.at < 100_000_000_000 ? 409 : 200, retryAfter: 60)
        }
        for index in 0..<10 { simulation.cluster.append("late", key: "l\(index)") }
        try simulation.run(for: .seconds(20))
        worker.stepWall(by: .seconds(seconds))
        try simulation.run(for: .seconds(200)) { !simulation.violations.isEmpty }
        #expect(simulation.cluster.fates().allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    @Test func aClockThatStepsBackHoldsNothingUp() throws {
        let simulation = Simulation(partitions: 2) { $0.deadline = .seconds(300) }
        let honest = HonestPublisher(simulation, bound: .seconds(5))
        honest.publish(perSecond: 10, for: .seconds(120))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        worker.stepWall(by: .seconds(-7_200))
        for _ in 0..<110 {
            try simulation.run(for: .seconds(1))
            honest.look()
            worker.judgeSilence()
        }
        #expect(simulation.violations == [])
    }

    /// The next try of a parked record may be far away. Its deadline is counted by the monotonic clock too.
    @Test func aClockThatStepsBackKeepsNoParkedRecord() throws {
        let simulation = Simulation {
            $0.deadline = .seconds(300)
            $0.recordsLimit = 40
        }
        simulation.makeParkingTopic()
        simulation.reply = { _ in Reply(409, retryAfter: 86_400) }
        for index in 0..<60 { simulation.cluster.append("far off", key: "f\(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(worker.engine.parkedTickets > 20)
        worker.stepWall(by: .seconds(-7_200))
        let areSettled = try simulation.run(for: .seconds(320)) {
            let fates = simulation.cluster.fates()
            return fates.count == 60 && fates.allSatisfy { $0 == "expired" }
        }
        #expect(areSettled, "\(simulation.cluster.fates())")
        #expect(simulation.violations == [])
    }

    /// A publisher chooses the time of its records: one from the future must not make the others look old.
    @Test func aRecordFromTheFutureExpiresNobody() throws {
        let simulation = Simulation { $0.deadline = .seconds(300) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 10, for: .seconds(60))
        simulation.startWorker()
        try simulation.run(for: .seconds(10))
        for ahead in [600_000, 86_400_000, 3_000_000_000_000] {
            let time = simulation.clock.now.wall + Int64(ahead)
            simulation.cluster.append("far", key: "far \(ahead)", timestamp: time)
        }
        simulation.cluster.append("far", key: "no time at all", timestamp: .max)
        try simulation.run(for: .seconds(70)) { !simulation.violations.isEmpty }
        #expect(simulation.cluster.fates().allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }
}
