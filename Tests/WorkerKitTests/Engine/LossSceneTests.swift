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

    /// 61 records of which number 20 is still called for: the commit stays at 20 and remembers the others.
    private func withOneUnfinished(partitions: Int = 1, at unfinished: Int64 = 20) throws -> Simulation {
        let simulation = Simulation(partitions: partitions)
        for index in 0..<61 { simulation.cluster.append("ok", key: "k\(index)") }
        simulation.reply = { $0.offset == unfinished ? Reply(409, retryAfter: 3_600) : Reply(200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        #expect(simulation.cluster.stored[Self.input]?.offset == unfinished)
        #expect(simulation.cluster.stored[Self.input]?.metadata.isEmpty == false)
        simulation.kill(worker)
        simulation.reply = { _ in Reply(200) }
        return simulation
    }

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
        let simulation = try self.withOneUnfinished()
        try self.move(simulation, to: offset)
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.outcome(20)?.fate == "succeeded")
        #expect(simulation.violations == [])
    }

    @Test func aGroupThatWasMovedUpSkipsNothingBeyond() throws {
        let simulation = try self.withOneUnfinished()
        for index in 61..<130 { simulation.cluster.append("ok", key: "k\(index)") }
        try self.move(simulation, to: 61)
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.fates()[61...].allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    @Test func aCommitOfAnotherPartitionSkipsNothing() throws {
        let simulation = try self.withOneUnfinished(partitions: 2)
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
        let text = try #require(try self.withOneUnfinished().cluster.stored[Self.input]?.metadata)
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

    // MARK: - A topic that is another by the same name

    /// Everything is settled and committed, nobody is there, and the topic is deleted and made again.
    private func madeAnew(_ delivery: EngineSettings.Delivery) throws -> Simulation {
        let simulation = Simulation(partitions: 2) { $0.delivery = delivery }
        for index in 0..<73 { simulation.cluster.append("ok", key: "k\(index)", to: Int32(index % 2)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted }
        #expect(simulation.cluster.isEverythingCommitted)
        simulation.kill(worker)
        try simulation.run(for: .seconds(60))
        simulation.cluster.makeAnew()
        return simulation
    }

    /// The records before the committed offset once had no outcome.
    @Test(arguments: [5, 36, 37, 120], EngineSettings.Delivery.allCases)
    func aTopicMadeAnewIsReadFromItsBeginning(count: Int, delivery: EngineSettings.Delivery) throws {
        let simulation = try self.madeAnew(delivery)
        for index in 0..<count { simulation.cluster.append("new", key: "n\(index)", to: Int32(index % 2)) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// Other records have the offsets of those that once killed a process. One of them once became a dead letter unseen.
    @Test func aTopicMadeAnewInheritsNoDeaths() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<CrashRecorder.deadly {
            let recorder = try CrashRecorder(folder: folder.path)
            recorder.mark(topic: SimulatedCluster.topic, partition: 0, offset: 3)
        }
        let simulation = try self.madeAnew(.atLeastOnce)
        for index in 0..<40 { simulation.cluster.append("new", key: "n\(index)", to: Int32(index % 2)) }
        simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
        #expect(try CrashRecorder(folder: folder.path).hasDeaths == false)
    }

    /// Nothing stands at the landmark then, as in a log that was cut off there.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aTopicMadeAnewThatEndsAtTheLandmarkIsReadFromItsBeginning(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 1) { $0.delivery = delivery }
        let worker = simulation.startWorker()
        for _ in 0..<2 {
            for index in 0..<20 { simulation.cluster.append("ok", key: "k\(index)") }
            #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        }
        simulation.kill(worker)
        let landmark = try self.landmark(in: simulation, below: 40)
        #expect(landmark.offset > 0)
        try simulation.run(for: .seconds(60))
        simulation.cluster.makeAnew()
        for index in 0..<landmark.offset { simulation.cluster.append("new", key: "n\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// Returns the landmark that the group has stored with its commit.
    private func landmark(in simulation: Simulation, below position: Int64) throws -> Landmark {
        let text = simulation.cluster.stored[Self.input]?.metadata ?? ""
        let mark = PartitionMark(clusterID: simulation.clusterID, Self.input)
        return try #require(try ProgressMetadata(text, at: mark, from: position).landmark)
    }

    /// The other partition is worked on meanwhile: what is out is finished, and not done again.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aPartitionMadeAnewCostsTheOthersNoCall(delivery: EngineSettings.Delivery) throws {
        let simulation = try self.madeAnew(delivery)
        simulation.reply = { _ in Reply(200, after: .seconds(2)) }
        for index in 0..<40 { simulation.cluster.append("new", key: "n\(index)", to: 0) }
        let other = TopicPartition(topic: SimulatedCluster.topic, partition: 1)
        simulation.cluster.stored[other] = nil
        for index in 0..<10 { simulation.cluster.append("new", key: "o\(index)", to: 1) }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(120)))
        #expect(worker.upstream.calls.count == 50)
        #expect(simulation.violations == [])
    }

    /// An unclean election: the log ends before the committed offset, and goes on from there.
    @Test func aLogThatLostItsEndIsReadFromThere() throws {
        let simulation = Simulation(partitions: 1)
        for index in 0..<40 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted }
        simulation.kill(worker)
        let landmark = try self.landmark(in: simulation, below: 40)
        simulation.cluster.cutOff(at: landmark.offset + 1)
        try simulation.run(for: .seconds(60))
        simulation.startWorker()
        try simulation.run(for: .seconds(30))
        for index in 0..<40 { simulation.cluster.append("later", key: "l\(index)") }
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// Others have published before anybody could see that the log was too short, and their records were once taken
    /// for those that were lost: before the commit, and among the finished ones after it.
    @Test(arguments: [1, 2, 10, 40, 200], EngineSettings.Delivery.allCases)
    func aLogThatLostItsEndAndWentOnIsReadFromTheLandmark(count: Int, delivery: EngineSettings.Delivery)
        throws
    {
        let simulation = Simulation(partitions: 1) { $0.delivery = delivery }
        let worker = simulation.startWorker()
        for _ in 0..<2 {
            for index in 0..<20 { simulation.cluster.append("ok", key: "k\(index)") }
            #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        }
        simulation.kill(worker)
        let landmark = try self.landmark(in: simulation, below: 40)
        #expect(landmark.offset + 3 < 40)
        simulation.cluster.cutOff(at: landmark.offset + 3)
        simulation.cluster.isExactlyOnce = false
        try simulation.run(for: .seconds(60))
        for index in 0..<count { simulation.cluster.append("later", key: "l\(index)") }
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(second.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.violations == [])
        // The commit speaks of the log as it is now.
        simulation.kill(second)
        try simulation.run(for: .seconds(60))
        let third = simulation.startWorker()
        simulation.cluster.append("latest", key: "x")
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(third.log.count(Self.lostItsEnd) == 0)
        #expect(third.upstream.calls.count == 1)
    }

    private static let lostItsEnd =
        "a log lost its end: its records from an offset on are read, and may be done again"

    /// Records that the commit calls finished were once skipped, although they are others.
    @Test(arguments: [1, 10, 31, 32, 100], [0, 20])
    func aLogThatLostItsEndSkipsNothingAfterTheCommit(count: Int, unfinished: Int64) throws {
        let simulation = try self.withOneUnfinished(at: unfinished)
        simulation.cluster.cutOff(at: 30)
        for index in 0..<count { simulation.cluster.append("later", key: "l\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// A worker that dies before it could see that the log lost its end leaves a commit by which the next one sees it.
    @Test(arguments: [0, 20] as [Int64])
    func aLogThatLostItsEndIsFoundByTheOwnerAfterTheNext(unfinished: Int64) throws {
        let simulation = try self.withOneUnfinished(at: unfinished)
        simulation.cluster.cutOff(at: 30)
        for index in 0..<20 { simulation.cluster.append("later", key: "l\(index)") }
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(8))
        #expect(second.upstream.calls.map(\.offset) == [unfinished])
        #expect(simulation.cluster.committedOffset(0) == unfinished)
        simulation.kill(second)
        #expect(second.log.count(Self.lostItsEnd) == 0)
        try simulation.run(for: .seconds(60))
        simulation.cluster.append("latest", key: "x")
        let third = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(third.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.violations == [])
    }

    /// Another worker may have had the partition since, and a later commit may be right.
    @Test func aCorrectionEndsWithTheAssignment() throws {
        let simulation = Simulation(partitions: 1)
        for index in 0..<40 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker()
        #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        worker.engine.corrected[Self.input] = CommittedPosition(partition: Self.input, offset: nil)
        simulation.cluster.rebalance()
        simulation.cluster.append("ok", key: "last")
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(worker.upstream.calls.count == 41)
    }

    /// After a change of the leader, the end of a log can lag behind for a moment. Nothing is done again then.
    @Test func aLogWhoseEndComesBackIsReadOn() throws {
        let simulation = try self.withOneUnfinished()
        let lost = simulation.cluster.inputs[55...]
        simulation.cluster.cutOff(at: 55)
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(8))
        for record in lost {
            simulation.cluster.append("ok", key: "k\(record.offset)", timestamp: record.timestamp)
        }
        #expect(try simulation.run(for: .seconds(60)) { simulation.cluster.isEverythingCommitted })
        #expect(second.log.count(Self.lostItsEnd) == 0)
        #expect(second.upstream.calls.count == 1)
    }

    /// Nothing is compared where there is nothing left to compare with, and nothing is done twice.
    @Test func retentionIsNoNewTopic() throws {
        let simulation = Simulation(partitions: 1)
        for index in 0..<40 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted }
        simulation.kill(worker)
        simulation.cluster.removeRecords(before: 40)
        for index in 0..<40 { simulation.cluster.append("later", key: "l\(index)") }
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(second.upstream.calls.count == 40)
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
