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
        try self.parkedRecordsExpire(answeredWith: Reply(409, retryAfter: 86_400))
    }

    /// A record that was parked before any call had no end but that of the wall clock.
    @Test func aClockThatStepsBackKeepsNoRecordThatWasNeverCalledFor() throws {
        try self.parkedRecordsExpire(answeredWith: Reply(401))
    }

    private func parkedRecordsExpire(answeredWith reply: Reply) throws {
        let simulation = Simulation {
            $0.deadline = .seconds(300)
            $0.recordsLimit = 40
        }
        simulation.makeParkingTopic()
        simulation.reply = { _ in reply }
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

    /// All hands were full of records for an upstream that is down, and nobody came to expire for hours.
    @Test func parkedRecordsExpireInTimeWhateverElseWaits() throws {
        let simulation = Simulation {
            $0.deadline = .seconds(300)
            $0.concurrency = 4
            $0.recordsLimit = 200
        }
        simulation.makeParkingTopic()
        simulation.reply = { $0.lane == "wrong" ? Reply(401) : Reply(200, after: .seconds(3_600)) }
        let worker = simulation.startWorker()
        for index in 0..<400 {
            simulation.cluster.append("held", key: "f\(index)", headers: [RecordHeader("lane", "wrong")])
        }
        try simulation.run(for: .seconds(30))
        let parked = worker.engine.parkedTickets
        #expect(parked > 200)
        // The others are younger, and wait for four slots.
        try simulation.run(for: .seconds(200))
        for index in 0..<2_500 { simulation.cluster.append("ok", key: "o\(index)") }
        try simulation.run(for: .seconds(110))
        #expect(simulation.cluster.fates().prefix(400).count { $0 == "expired" } == 400)
        #expect(simulation.violations == [])
    }

    /// Copies of before a suspension kept the clock in doubt for as long as they came.
    @Test func copiesInRetryTopicsAreNoEvidenceOfTheTime() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.retryTiers = [RetryTier(topic: "work.retry.5m", delay: .seconds(300))]
            $0.backoff = Backoff(base: .seconds(300), longest: .seconds(300))
            $0.attempts = 100
        }
        simulation.reply = { $0.value == "bad" ? Reply(409) : Reply(200) }
        let worker = simulation.startWorker()
        for second in 0..<520 {
            if second == 300 {
                simulation.clock.stepWall(by: .seconds(100))
            }
            if second < 300 { simulation.cluster.append("bad", key: "b\(second)") }
            simulation.cluster.append("ok", key: "o\(second)")
            try simulation.run(for: .seconds(1))
            if second == 360 { #expect(worker.engine.deadlineClock.ahead <= 1_000) }
        }
        #expect(simulation.violations == [])
    }

    /// A whole partition of a retry topic once stood still for as long as the clock was behind, and no stall was reported.
    @Test func aRetryTopicWaitsByTheMonotonicClock() throws {
        let simulation = Simulation(partitions: 1) {
            $0.ordering = .none
            $0.retryTiers = [RetryTier(topic: "work.retry.5s", delay: .seconds(5))]
            $0.backoff = Backoff(base: .seconds(6), longest: .seconds(6))
        }
        var asked: Set<Int64> = []
        simulation.reply = { asked.insert($0.offset).inserted ? Reply(409) : Reply(200) }
        for index in 0..<10 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(3))
        worker.stepWall(by: .seconds(-43_200))
        #expect(try simulation.settleEverything(within: .seconds(60)))
    }

    /// The clock was twelve hours ahead while copies were put into a retry topic. Each of them once waited for the time of
    /// its topic, one after the other.
    @Test func copiesWithTimesThatAreFarOffWaitOnce() throws {
        let simulation = Simulation(partitions: 1) {
            $0.ordering = .none
            $0.retryTiers = [RetryTier(topic: "work.retry.5s", delay: .seconds(5))]
            $0.backoff = Backoff(base: .seconds(6), longest: .seconds(6))
        }
        var asked: Set<Int64> = []
        simulation.reply = { asked.insert($0.offset).inserted ? Reply(409) : Reply(200) }
        let worker = simulation.startWorker()
        worker.stepWall(by: .seconds(43_200))
        for index in 0..<40 { simulation.cluster.append("\(index)") }
        try simulation.run(for: .seconds(3))
        worker.stepWall(by: .seconds(-43_200))
        #expect(try simulation.settleEverything(within: .seconds(40)))
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
