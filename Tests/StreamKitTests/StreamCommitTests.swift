import Kafka
import Records
import ServiceKit
import Testing
import WorkerTestSupport

@testable import Simulation
@testable import StreamKit

/// Where the group stands, and what is believed of it.
struct StreamCommitTests {
    private static let place = TopicPartition(topic: "work", partition: 3)

    private static func committed(
        _ offset: Int64?,
        _ text: String,
        _ place: TopicPartition = place
    ) -> CommittedPosition {
        CommittedPosition(partition: place, offset: offset, metadata: text)
    }

    /// A mirror, and an operator's tool, store an offset of their own beside the text that they found.
    @Test func aStampFitsItsOwnClusterPlaceAndOffsetOnly() {
        let text = CommitStamp.text(Self.place, offset: 20, of: "c", by: "a:1")
        #expect(CommitStamp.fits(Self.committed(20, text), of: "c") == true)
        #expect(CommitStamp.fits(Self.committed(10, text), of: "c") == false)
        #expect(CommitStamp.fits(Self.committed(20, text), of: "d") == false)
        for (topic, partition) in [("work", 2), ("worker", 3), ("wor", 33)] as [(String, Int32)] {
            let other = TopicPartition(topic: topic, partition: partition)
            #expect(CommitStamp.fits(Self.committed(20, text, other), of: "c") == false)
        }
        for nobodys in ["", "s1:ab:1", "f1:AA", "s2"] {
            #expect(CommitStamp.fits(Self.committed(20, nobodys), of: "c") == nil)
        }
        #expect(CommitStamp.fits(Self.committed(20, "s2:"), of: "c") == false)
        #expect(CommitStamp.fits(Self.committed(nil, text), of: "c") == nil)
    }

    @Test func aCommitThatWasMovedIsToldOfAndItsOffsetTaken() throws {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<20)
        try simulation.expectEverythingSettled()
        simulation.kill(first)
        let input = TopicPartition(topic: "work", partition: 0)
        let text = simulation.cluster.stored[input]?.metadata ?? ""
        let moved =
            "the group's offset was moved, or comes from another cluster or topic: the state is read back"
        #expect(text.hasPrefix("s2:"))
        simulation.cluster.stored[input] = CommittedPosition(partition: input, offset: 20, metadata: text)
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(30)) { second.restores > 0 }
        #expect(second.log.count(moved) == 0)
        simulation.kill(second)
        simulation.cluster.stored[input] = CommittedPosition(partition: input, offset: 10, metadata: text)
        let third = simulation.startWorker()
        try simulation.run(for: .seconds(30)) { third.restores > 0 }
        #expect(third.log.count(moved) == 1)
    }

    @Test func aStampNamesARecordBeforeItsOffset() {
        let landmark = Landmark(offset: 19, timestamp: 7)
        let text = CommitStamp.text(Self.place, offset: 20, after: landmark, of: "c", by: "a:1")
        #expect(CommitStamp.landmark(of: Self.committed(20, text), in: "c") == landmark)
        #expect(CommitStamp.landmark(of: Self.committed(10, text), in: "c") == nil)
        #expect(CommitStamp.landmark(of: Self.committed(20, text), in: "d") == nil)
        let none = CommitStamp.text(Self.place, offset: 20, of: "c", by: "a:1")
        #expect(CommitStamp.landmark(of: Self.committed(20, none), in: "c") == nil)
        let behind = CommitStamp.text(Self.place, offset: 19, after: landmark, of: "c", by: "a:1")
        #expect(CommitStamp.landmark(of: Self.committed(19, behind), in: "c") == nil)
    }

    /// A position that the group had committed survives the topic, and the new records before it were once never
    /// counted.
    @Test(arguments: [20, 21, 100])
    func aTopicMadeAnewIsReadFromItsBeginning(count: Int) throws {
        let old = StreamSimulation()
        old.startWorker()
        old.append(0..<20)
        try old.expectEverythingSettled()
        let input = TopicPartition(topic: "work", partition: 0)
        let committed = try #require(old.cluster.stored[input])
        #expect(committed.offset == 20)

        let new = StreamSimulation()
        try new.run(for: .seconds(60))
        new.cluster.stored[input] = committed
        new.append(100..<(100 + count))
        let worker = new.startWorker()
        try new.expectEverythingSettled()
        #expect(worker.engine.processedRecords >= count)
    }

    // MARK: - A log that lost its end

    /// The group stands behind marks of transactions, nobody is there, and an unclean election loses the marks.
    private func withoutItsMarks() throws -> StreamSimulation {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<20)
        for _ in 0..<3 { simulation.cluster.appendMarker() }
        try simulation.expectEverythingSettled()
        #expect(simulation.cluster.committedOffset(0) == 23)
        simulation.kill(first)
        try simulation.run(for: .seconds(60))
        simulation.cluster.cutOff(at: 20)
        return simulation
    }

    private static let lostItsEnd =
        "a log lost its end: all its records after the last one that was processed are new"

    /// Records that stand where the group has seen marks were once passed over.
    @Test(arguments: [1, 2, 3, 10])
    func aLogThatLostItsEndAndWentOnLosesNoRecord(count: Int) throws {
        let simulation = try self.withoutItsMarks()
        simulation.append(100..<(100 + count))
        let second = simulation.startWorker()
        try simulation.expectEverythingSettled()
        #expect(second.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.cluster.committedOffset(0) == Int64(20 + count))
    }

    @Test func aLogThatLostItsEndIsBelievedAfterTenSeconds() throws {
        let simulation = try self.withoutItsMarks()
        let second = simulation.startWorker()
        #expect(try simulation.run(for: .seconds(60)) { second.restores > 0 })
        try simulation.run(for: .seconds(8))
        #expect(simulation.cluster.committedOffset(0) == 23)
        #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.committedOffset(0) == 20 })
        #expect(second.log.count(Self.lostItsEnd) == 1)
        simulation.append(100..<105)
        try simulation.expectEverythingSettled()
    }

    /// A state that is read back from its input has once had such a record before the task was given it.
    @Test func aRecordInPlaceOfAMarkIsNotReadBack() throws {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<20)
        try simulation.expectEverythingSettled()
        simulation.kill(first)
        try simulation.run(for: .seconds(60))
        let parts = TopicPartition(topic: Part.topic, partition: 0)
        let last = try #require(simulation.cluster.logs[parts]?.records.last)
        #expect(simulation.cluster.stored[parts]?.offset == last.offset + 2)
        simulation.cluster.logs[parts]?.end = last.offset + 1
        var next = try #require(Part(key: last.key, value: last.value))
        next.tellings += 1
        simulation.cluster.logs.append(
            InboundRecord(
                topic: Part.topic,
                partition: 0,
                offset: last.offset + 1,
                timestamp: simulation.clock.now.wall,
                key: last.key,
                value: next.record.value
            )
        )
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(30)) { second.log.count(Self.lostItsEnd) == 1 }
        try simulation.run(for: .seconds(30))
        #expect(second.log.count(Self.lostItsEnd) == 1)
        #expect(simulation.violations == [])
    }

    /// The state of each partition is read back once more for each of them, and not again and again.
    @Test(arguments: [0, 10, 50, 200])
    func severalPartitionsMadeAnewAreEachFoundOnce(milliseconds: Int) throws {
        var setup = StreamSetup()
        setup.partitions = 3
        let simulation = StreamSimulation(setup)
        let first = simulation.startWorker()
        for partition in 0..<3 as Range<Int32> {
            simulation.append((Int(partition) * 100)..<(Int(partition) * 100 + 20), to: partition)
        }
        try simulation.expectEverythingSettled()
        let stored = simulation.cluster.stored
        simulation.kill(first)

        let new = StreamSimulation(setup)
        try new.run(for: .seconds(60))
        for partition in 0..<3 as Range<Int32> {
            let input = TopicPartition(topic: SimulatedCluster.topic, partition: partition)
            new.cluster.stored[input] = stored[input]
            new.after(.seconds(2) + .milliseconds(milliseconds * Int(partition))) {
                new.append((Int(partition) * 100 + 1_000)..<(Int(partition) * 100 + 1_050), to: partition)
            }
        }
        let worker = new.startWorker()
        try new.run(for: .seconds(30))
        try new.expectEverythingSettled()
        #expect(worker.log.count(Self.madeAgain) == 3)
    }

    /// The commit of the new topic took place and was not answered. Its records were once processed again.
    @Test func aCommitThatWasNotAnsweredEndsTheCorrection() throws {
        let old = StreamSimulation()
        old.startWorker()
        old.append(0..<20)
        try old.expectEverythingSettled()
        let input = TopicPartition(topic: SimulatedCluster.topic, partition: 0)
        let committed = try #require(old.cluster.stored[input])

        let new = StreamSimulation()
        try new.run(for: .seconds(60))
        new.cluster.stored[input] = committed
        new.append(100..<200)
        var unanswered = 0
        new.cluster.transactionFate = { _ in
            guard unanswered == 0, new.cluster.stored[input] == committed else {
                return .committed(after: .milliseconds(6))
            }
            unanswered += 1
            return .unanswered(after: .seconds(10), .everything)
        }
        let worker = new.startWorker()
        try new.expectEverythingSettled()
        #expect(unanswered == 1)
        #expect(worker.log.count(Self.madeAgain) == 1)
    }

    private static let madeAgain = "a topic was deleted and made again: what was committed of it is ignored"

    /// After a change of the leader, the end of a log can lag behind for a moment.
    @Test func aLogWhoseEndComesBackIsReadOn() throws {
        let simulation = try self.withoutItsMarks()
        let second = simulation.startWorker()
        #expect(try simulation.run(for: .seconds(60)) { second.restores > 0 })
        try simulation.run(for: .seconds(8))
        for _ in 0..<3 { simulation.cluster.appendMarker() }
        try simulation.run(for: .seconds(60))
        simulation.append(100..<105)
        try simulation.expectEverythingSettled()
        #expect(second.log.count(Self.lostItsEnd) == 0)
        #expect(simulation.cluster.committedOffset(0) == 28)
    }

    // MARK: - Marks

    /// Else the broker's lag of a partition that ends with a mark never becomes 0.
    @Test func theGroupStandsBehindTheLastMarkOfATransaction() throws {
        let simulation = StreamSimulation()
        simulation.startWorker()
        for round in 0..<5 {
            simulation.append((round * 10)..<(round * 10 + 10))
            try simulation.expectEverythingSettled()
        }
        let parts = TopicPartition(topic: "work.parts", partition: 0)
        let log = try #require(simulation.cluster.logs[parts])
        #expect(log.records.count > 0 && log.end > Int64(log.records.count))
        #expect(simulation.cluster.stored[parts]?.offset == log.end)
        // And then there is nothing more to commit.
        let before = simulation.cluster.stored[parts]
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.stored[parts] == before)
    }

    // MARK: - Crashes

    /// Nothing else would ever end it: the record comes again to every next process.
    @Test func aRecordThatKilledThreeTimesIsGivenToNoTaskAgain() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        func die(of offset: Int64) throws {
            let recorder = try CrashRecorder(folder: folder.path)
            recorder.mark(topic: "work", partition: 0, offset: offset)
        }
        for offset in [3, 3, 3, 5, 5] as [Int64] { try die(of: offset) }
        var setup = StreamSetup()
        setup.crashes = { _ in try? CrashRecorder(folder: folder.path) }
        let simulation = StreamSimulation(setup)
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        #expect(worker.buried == [3])
        // A committed record is forgiven, also the one that killed twice.
        #expect(try !CrashRecorder(folder: folder.path).hasDeaths)
    }
}
