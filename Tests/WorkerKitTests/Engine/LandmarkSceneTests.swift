import Kafka
import Records
import Simulation
import Testing
import UpstreamHTTP
import WorkerTestSupport

@testable import ServiceKit
@testable import WorkerKit

/// Commits that speak of another log than the one that a worker finds: a topic that was deleted and made again, and a log
/// that lost its end in an unclean election.
struct LandmarkSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static let input = TopicPartition(topic: SimulatedCluster.topic, partition: 0)

    // MARK: - A topic that was deleted and made again

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
    /// With few records, the reader is sent back before it can compare any.
    @Test(arguments: [8, 40]) func aTopicMadeAnewInheritsNoDeaths(count: Int) throws {
        let folder = try TemporaryFolder()
        for _ in 0..<CrashRecorder.deadly {
            let recorder = try CrashRecorder(folder: folder.path)
            recorder.mark(topic: SimulatedCluster.topic, partition: 0, offset: 3)
        }
        let simulation = try self.madeAnew(.atLeastOnce)
        for index in 0..<count { simulation.cluster.append("new", key: "n\(index)", to: Int32(index % 2)) }
        let second = simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
        #expect(try CrashRecorder(folder: folder.path).hasDeaths == false)
        #expect(second.log.count(Self.madeAgain) == 2)
    }

    /// The worker once took up all partitions again every ten seconds, until somebody published.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aTopicMadeAnewThatIsEmptyIsTakenUpAtItsEnd(delivery: EngineSettings.Delivery) throws {
        let simulation = try self.madeAnew(delivery)
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(second.log.count(Self.lostItsEnd) == 2)
        #expect(second.log.count("assigned") == 1)
        #expect((0..<2).map { simulation.cluster.committedOffset($0) } == [0, 0])
        simulation.kill(second)
        try simulation.run(for: .seconds(60))
        for index in 0..<90 { simulation.cluster.append("new", key: "n\(index)", to: Int32(index % 2)) }
        let third = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(third.log.count(Self.lostItsEnd) == 0)
        #expect(simulation.violations == [])
    }

    /// The worker once found out again with each assignment, until somebody published.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aTopicMadeAnewThatWasEmptiedIsTakenUpAtItsEnd(delivery: EngineSettings.Delivery) throws {
        let simulation = try self.allCommitted(delivery)
        let landmark = try self.landmark(in: simulation, below: 40)
        try simulation.run(for: .seconds(60))
        simulation.cluster.makeAnew()
        for index in 0..<landmark.offset { simulation.cluster.append("gone", key: "g\(index)") }
        simulation.cluster.removeRecords(before: landmark.offset)
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect(simulation.cluster.committedOffset(0) == landmark.offset)
        simulation.cluster.rebalance()
        try simulation.run(for: .seconds(20))
        #expect(second.log.count(Self.madeAgain) == 1)
    }

    /// A deleted topic that has nothing but marks of transactions ends before the landmark.
    @Test func aTopicMadeAnewThatHasOnlyMarksIsTakenUpAtItsEnd() throws {
        let simulation = try self.madeAnew(.atLeastOnce)
        for partition in 0..<2 as Range<Int32> { simulation.cluster.appendMarker(to: partition) }
        simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect((0..<2).map { simulation.cluster.committedOffset($0) } == [1, 1])
    }

    /// Nothing stands at the landmark then, as in a log that was cut off there.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aTopicMadeAnewThatEndsAtTheLandmarkIsReadFromItsBeginning(delivery: EngineSettings.Delivery) throws {
        let simulation = try self.allCommitted(delivery)
        let landmark = try self.landmark(in: simulation, below: 40)
        try simulation.run(for: .seconds(60))
        simulation.cluster.makeAnew()
        for index in 0..<landmark.offset { simulation.cluster.append("new", key: "n\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// 40 records are settled and committed, the last commit names a landmark far from the beginning, and nobody is there.
    private func allCommitted(_ delivery: EngineSettings.Delivery) throws -> Simulation {
        let simulation = Simulation(partitions: 1) { $0.delivery = delivery }
        let worker = simulation.startWorker()
        for _ in 0..<2 {
            for index in 0..<20 { simulation.cluster.append("ok", key: "k\(index)") }
            #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        }
        simulation.kill(worker)
        #expect(try self.landmark(in: simulation, below: 40).offset > 0)
        return simulation
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

    private static let madeAgain = "a topic was deleted and made again: what was committed of it is ignored"

    // MARK: - A log that lost its end

    /// An unclean election: the log ends before the committed offset, and goes on from there.
    @Test func aLogThatLostItsEndIsReadFromThere() throws {
        let (simulation, worker) = try Simulation.withAllCommitted()
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
        let simulation = try self.allCommitted(delivery)
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

    /// All logs of a broker lose their end together. Each of them once made the worker forget about the others.
    @Test(arguments: [0, 1, 40], EngineSettings.Delivery.allCases)
    func logsThatLostTheirEndTogetherAreTakenUpOnce(count: Int, delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 4) { $0.delivery = delivery }
        let worker = simulation.startWorker()
        for _ in 0..<2 {
            for index in 0..<80 { simulation.cluster.append("ok", key: "k\(index)", to: Int32(index % 4)) }
            #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        }
        simulation.kill(worker)
        try simulation.run(for: .seconds(60))
        for partition in 0..<4 as Range<Int32> {
            simulation.cluster.cutOff(partition, at: 37)
            for index in 0..<count { simulation.cluster.append("new", key: "n\(index)", to: partition) }
        }
        simulation.cluster.isExactlyOnce = false
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(30))
        #expect(second.log.count(Self.lostItsEnd) == 4)
        #expect(second.log.count("assigned") == 2)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// A worker that has found out and dies at once leaves it in the commit: the log may have grown over the lost
    /// records by the time of the next one.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aCorrectionIsCommittedAtOnce(delivery: EngineSettings.Delivery) throws {
        let simulation = try self.allCommitted(delivery)
        let landmark = try self.landmark(in: simulation, below: 40)
        try simulation.run(for: .seconds(60))
        simulation.cluster.cutOff(at: landmark.offset + 3)
        simulation.cluster.isExactlyOnce = false
        simulation.reply = { _ in Reply(200, after: .seconds(3_600)) }
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(15))
        #expect(second.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.cluster.committedOffset(0) == landmark.offset + 1)
    }

    /// A mark stands where the commit knew of its newest record, so that there is no other record to compare it with.
    @Test(arguments: [0, 5], EngineSettings.Delivery.allCases)
    func aMarkAtTheNewestRecordShowsThatTheLogLostItsEnd(count: Int, delivery: EngineSettings.Delivery) throws
    {
        let simulation = try self.allCommitted(delivery)
        try simulation.run(for: .seconds(60))
        simulation.cluster.cutOff(at: 38)
        simulation.cluster.isExactlyOnce = false
        simulation.cluster.append("new", key: "n")
        simulation.cluster.appendMarker()
        for index in 0..<count { simulation.cluster.append("later", key: "l\(index)") }
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(second.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.violations == [])
    }

    /// Marks behind the newest record are finished offsets of the commit. A log that lost them has records there.
    @Test func recordsInPlaceOfMarksAreNotSkipped() throws {
        let simulation = try Simulation.withOneUnfinished()
        simulation.reply = { $0.offset == 20 ? Reply(409, retryAfter: 3_600) : Reply(200) }
        for _ in 0..<9 { simulation.cluster.appendMarker() }
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        simulation.kill(second)
        try simulation.run(for: .seconds(60))
        simulation.reply = { _ in Reply(200) }
        simulation.cluster.cutOff(at: 61)
        for index in 0..<9 { simulation.cluster.append("new", key: "n\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// The end of the log that the worker saw is an old one: while its hands were full, the log has got its end back.
    @Test func anEndThatWasSeenLongAgoShowsNothing() throws {
        let (simulation, worker) = try Simulation.withAllCommitted(partitions: 2) { $0.recordsLimit = 8 }
        simulation.kill(worker)
        let lost = simulation.cluster.inputs[35...]
        simulation.cluster.cutOff(at: 35)
        simulation.reply = { $0.value == "slow" ? Reply(200, after: .seconds(20)) : Reply(200) }
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for index in 0..<8 { simulation.cluster.append("slow", key: "s\(index)", to: 1) }
        try simulation.run(for: .seconds(2))
        for record in lost {
            simulation.cluster.append("ok", key: "k\(record.offset)", timestamp: record.timestamp)
        }
        #expect(try simulation.run(for: .seconds(60)) { simulation.cluster.isEverythingCommitted })
        #expect(second.log.count(Self.lostItsEnd) == 0)
        #expect(second.upstream.calls.count == 8)
    }

    /// A mark stands in place of the landmark. The records before it were once never read.
    @Test(arguments: [0, 10, 30], EngineSettings.Delivery.allCases)
    func aTopicMadeAnewThatHasAMarkAtTheLandmarkIsReadFromItsBeginning(
        count: Int,
        delivery: EngineSettings.Delivery
    )
        throws
    {
        let simulation = try self.allCommitted(delivery)
        let landmark = try self.landmark(in: simulation, below: 40)
        #expect(landmark.offset < 38)
        try simulation.run(for: .seconds(60))
        simulation.cluster.makeAnew()
        for index in 0..<landmark.offset { simulation.cluster.append("new", key: "n\(index)") }
        simulation.cluster.appendMarker()
        for index in 0..<count { simulation.cluster.append("later", key: "l\(index)") }
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(second.log.count(Self.madeAgain) == 1)
        #expect(simulation.violations == [])
    }

    /// The log can be other than it was while a worker reads it. The deaths that are remembered are those of other records.
    @Test func aReaderThatIsSentBackTellsItAndForgivesDeaths() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<CrashRecorder.deadly {
            let recorder = try CrashRecorder(folder: folder.path)
            recorder.mark(topic: SimulatedCluster.topic, partition: 0, offset: 30)
        }
        let simulation = Simulation(partitions: 1)
        for index in 0..<20 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        simulation.cluster.makeAnew()
        for index in 0..<40 { simulation.cluster.append("new", key: "n\(index)") }
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(worker.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    /// Compaction takes records between others away. In any other topic, one that is missing shows a lost end.
    @Test(arguments: [true, false]) func compactionIsNoLostEnd(isCompacted: Bool) throws {
        let (simulation, worker) = try Simulation.withAllCommitted()
        simulation.kill(worker)
        simulation.cluster.isInputCompacted = isCompacted
        simulation.cluster.isExactlyOnce = false
        simulation.cluster.append("new", key: "k39")
        simulation.cluster.removeRecord(at: 39)
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(second.log.count(Self.lostItsEnd) == (isCompacted ? 0 : 1))
        #expect(simulation.violations == [])
        if isCompacted { #expect(second.upstream.calls.count == 1) }
    }

    /// Other partitions take all the room that there is, and the end of the log is looked at all the same.
    @Test func aLogThatLostItsEndIsFoundOutByABusyWorker() throws {
        let (simulation, worker) = try Simulation.withAllCommitted(partitions: 2) { $0.recordsLimit = 8 }
        simulation.kill(worker)
        simulation.cluster.cutOff(at: 35)
        simulation.reply = { _ in Reply(200, after: .seconds(20)) }
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for index in 0..<80 { simulation.cluster.append("slow", key: "s\(index)", to: 1) }
        #expect(try simulation.run(for: .seconds(15)) { second.log.count(Self.lostItsEnd) == 1 })
    }

    /// Each new record once put it off, until the log was as long as before.
    @Test func aLogThatGrowsSlowlyIsReadAgainAfterTenSeconds() throws {
        let simulation = try Simulation.withOneUnfinished(at: 50)
        simulation.cluster.cutOff(at: 55)
        let second = simulation.startWorker()
        for index in 0..<5 {
            try simulation.run(for: .seconds(3))
            simulation.cluster.append("new", key: "n\(index)")
        }
        #expect(second.log.count(Self.lostItsEnd) == 1)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// An unanswered commit can have taken place. Its records were once done again when another partition was corrected.
    @Test func aCorrectionGivesWayToALaterCommit() throws {
        let (simulation, worker) = try Simulation.withAllCommitted()
        let committed = try #require(simulation.cluster.stored[Self.input])
        let beginning = CommittedPosition(partition: Self.input, offset: nil)
        worker.engine.corrections[Self.input] = Correction(of: committed, to: beginning)
        #expect(worker.engine.correction(of: committed) == beginning)
        var later = committed
        later.offset = 41
        #expect(worker.engine.correction(of: later) == nil)
    }

    /// Records that the commit calls finished were once skipped, although they are others.
    @Test(arguments: [1, 10, 31, 32, 100], [0, 20])
    func aLogThatLostItsEndSkipsNothingAfterTheCommit(count: Int, unfinished: Int64) throws {
        let simulation = try Simulation.withOneUnfinished(at: unfinished)
        simulation.cluster.cutOff(at: 30)
        for index in 0..<count { simulation.cluster.append("later", key: "l\(index)") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    /// A worker that dies before it could see that the log lost its end leaves a commit by which the next one sees it.
    @Test(arguments: [0, 20] as [Int64])
    func aLogThatLostItsEndIsFoundByTheOwnerAfterTheNext(unfinished: Int64) throws {
        let simulation = try Simulation.withOneUnfinished(at: unfinished)
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
        let (simulation, worker) = try Simulation.withAllCommitted()
        let committed = try #require(simulation.cluster.stored[Self.input])
        let beginning = CommittedPosition(partition: Self.input, offset: nil)
        worker.engine.corrections[Self.input] = Correction(of: committed, to: beginning)
        simulation.cluster.rebalance()
        simulation.cluster.append("ok", key: "last")
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(worker.upstream.calls.count == 41)
    }

    /// After a change of the leader, the end of a log can lag behind for a moment. Nothing is done again then.
    @Test func aLogWhoseEndComesBackIsReadOn() throws {
        let simulation = try Simulation.withOneUnfinished()
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
        let (simulation, worker) = try Simulation.withAllCommitted()
        simulation.kill(worker)
        simulation.cluster.removeRecords(before: 40)
        for index in 0..<40 { simulation.cluster.append("later", key: "l\(index)") }
        let second = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(second.upstream.calls.count == 40)
        #expect(simulation.violations == [])
    }
}
