import Kafka
import Records
import Simulation
import Testing
import UpstreamHTTP

@testable import ServiceKit
@testable import WorkerKit

/// A worker that has something to do and gets nowhere for longer than half a minute does not call itself ready.
struct SilenceSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    private func play(
        _ simulation: Simulation,
        _ worker: SimulatedWorker,
        until cause: String,
        naming remedy: String,
        for length: Int = 120
    ) throws {
        for _ in 0..<length {
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
        }
        try worker.expectStandstill(cause, naming: remedy)
        #expect(simulation.violations == [])
    }

    @Test(arguments: EngineSettings.Delivery.allCases)
    func aWorkerWhoseResultsNobodyTakesSaysSo(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation { $0.delivery = delivery }
        let error = KafkaError(code: .timedOut, message: "not authorized")
        simulation.cluster.produceFate = { _ in .failed(error, after: .milliseconds(2), isWritten: false) }
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)") }
        try self.play(simulation, simulation.startWorker(), until: "produce", naming: "right to WRITE")
    }

    /// The client says nothing of a record that the brokers refuse again and again until its time is over.
    @Test func aWorkerWhoseResultsNobodyAcknowledgesSaysSo() throws {
        let simulation = Simulation()
        simulation.cluster.produceFate = { _ in .acknowledged(after: .seconds(100)) }
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)") }
        try self.play(simulation, simulation.startWorker(), until: "produce", naming: "its brokers", for: 40)
    }

    /// A member that is frozen holds up the assignment of the whole group.
    @Test func aWorkerThatIsAssignedNothingSaysSo() throws {
        let simulation = Simulation()
        let worker = simulation.startWorker()
        let frozen = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        frozen.broker.isMute = true
        simulation.cluster.append("ok")
        simulation.cluster.rebalance()
        try self.play(simulation, worker, until: "group", naming: "kafka.session_timeout")
        simulation.kill(frozen)
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(2)) { worker.engine.unreadiness == nil })
    }

    /// A leader that does not answer, or a transaction that a publisher has left open.
    @Test func aWorkerThatGetsNothingOfWhatIsThereSaysSo() throws {
        let simulation = Simulation()
        let partition = TopicPartition(topic: SimulatedCluster.topic, partition: 0)
        let worker = simulation.startWorker()
        simulation.cluster.append("ok")
        #expect(try simulation.settleEverything())
        simulation.cluster.mutePartitions = [partition]
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)", to: 0) }
        try self.play(simulation, worker, until: "fetch", naming: "open transactions")
        simulation.cluster.mutePartitions = []
        simulation.cluster.append("ok", to: 0)
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(2)) { worker.engine.unreadiness == nil })
    }

    @Test func aWorkerThatCannotLearnWhereTheGroupStandsSaysSo() throws {
        let simulation = Simulation()
        simulation.cluster.committedFate = { .timedOut }
        simulation.cluster.append("ok")
        try self.play(simulation, simulation.startWorker(), until: "assignment", naming: "right to READ")
    }

    @Test func aWorkerWhoseTransactionsNobodyCommitsSaysSo() throws {
        let simulation = Simulation { $0.delivery = .exactlyOnce }
        let error = KafkaError(code: .timedOut, message: "cannot be committed", requiresAbort: true)
        simulation.cluster.transactionFate = { _ in .refused(error, after: .milliseconds(5)) }
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)") }
        try self.play(simulation, simulation.startWorker(), until: "commit", naming: "right to READ")
    }

    @Test func aWorkerWhoseUpstreamIsDownSaysSo() throws {
        let simulation = Simulation()
        simulation.reply = { _ in .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1)) }
        for index in 0..<1_000 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker()
        try self.play(simulation, worker, until: "upstream", naming: "the way to it")
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(2)) { worker.engine.unreadiness == nil })
    }

    /// Records that are taken in are no progress, if none of them is settled.
    @Test func aWorkerThatTakesInAndSettlesNothingSaysSo() throws {
        let simulation = Simulation()
        simulation.reply = { _ in .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1)) }
        let worker = simulation.startWorker()
        for index in 0..<12 {
            simulation.cluster.append("ok", key: "k\(index)")
            try simulation.run(for: .seconds(10))
        }
        try worker.expectStandstill("upstream", naming: "the way to it")
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(2)) { worker.engine.unreadiness == nil })
        #expect(simulation.violations == [])
    }

    @Test func aWorkerThatIsHeldAsAWholeSaysSo() throws {
        let simulation = Simulation { $0.recordsLimit = 100 }
        simulation.reply = { _ in Reply(402) }
        for index in 0..<300 { simulation.cluster.append("ok", key: "k\(index)") }
        try self.play(simulation, simulation.startWorker(), until: "lane_held", naming: "configuration")
    }

    /// Some of them are parked, and the endpoint that they wait for is down.
    private func withParkedRecords(_ change: @escaping (inout EngineSettings) -> Void = { _ in })
        -> Simulation
    {
        let simulation = Simulation {
            $0.recordsLimit = 100
            change(&$0)
        }
        simulation.makeParkingTopic()
        simulation.reply = {
            $0.endpoint == .side
                ? .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1)) : Reply(200)
        }
        for index in 0..<300 {
            simulation.cluster.append("side", key: "k\(index)", headers: [RecordHeader("side", "")])
        }
        return simulation
    }

    @Test func aWorkerThatCannotLearnWhatIsParkedSaysSo() throws {
        let simulation = self.withParkedRecords()
        let first = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect(!simulation.cluster.tickets.isEmpty)
        simulation.kill(first)
        simulation.memoryFate = { SimulatedMemory.Fate(error: .timedOut) }
        simulation.cluster.append("ok", key: "later")
        let second = simulation.startWorker()
        try self.play(simulation, second, until: "parking", naming: "right to READ it")
        simulation.memoryFate = { SimulatedMemory.Fate() }
        #expect(try simulation.run(for: .seconds(5)) { second.engine.unreadiness == nil })
    }

    @Test func whatTheReaderOfTheParkingTopicReportsDoesNotPileUp() throws {
        let simulation = self.withParkedRecords()
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect(worker.memory.map { $0.drops >= 19 } == true)
    }

    /// A fatal error while tickets, or parked records, are read ends the worker. If it went on, a ticket that
    /// was not read would count as one that does not exist. Only one read fails: a second one would end the
    /// worker whatever became of the first.
    @Test(arguments: ["tickets", "records"]) func aReaderThatHasFailedForGoodEndsTheWorker(_ kind: String)
        throws
    {
        let simulation = self.withParkedRecords()
        let first = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        let fatal = SimulatedMemory.Fate(error: KafkaError(code: .timedOut, message: "broken", isFatal: true))
        // A recall asks for the ends, and then for the start and its delay; a visit asks for the start and its
        // delay. The next question of each is a read.
        let read = kind == "tickets" ? 4 : 3
        var questions = 0
        simulation.memoryFate = {
            questions += 1
            return questions == read ? fatal : SimulatedMemory.Fate()
        }
        if kind == "tickets" {
            simulation.kill(first)
            simulation.startWorker()
        } else {
            simulation.reply = { _ in Reply(200) }
        }
        #expect(throws: KafkaError.self) { try simulation.run(for: .seconds(60)) }
    }

    @Test func aWorkerThatCannotReadParkedRecordsAgainSaysSo() throws {
        let simulation = self.withParkedRecords()
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        simulation.memoryFate = { SimulatedMemory.Fate(error: .timedOut) }
        simulation.reply = { _ in Reply(200) }
        try self.play(simulation, worker, until: "parking", naming: "right to READ it")
        simulation.memoryFate = { SimulatedMemory.Fate() }
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(5)) { worker.engine.unreadiness == nil })
    }

    @Test func aWorkerThatMayHoldNoMoreTicketsSaysSo() throws {
        let simulation = self.withParkedRecords()
        let worker = simulation.startWorker()
        worker.engine.lot?.limit = 50
        try simulation.run(for: .seconds(20))
        for index in 0..<100 { simulation.cluster.append("ok", key: "later\(index)") }
        try self.play(simulation, worker, until: "parking", naming: "more workers")
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(5)) { worker.engine.unreadiness == nil })
    }

    /// The trouble belonged to a partition that another worker has now. The worker that gave it up has nothing
    /// to commit any more, so no commit would ever end the trouble.
    @Test func aWorkerForgetsTheTroubleWithCommitsTogetherWithItsPartitions() throws {
        let simulation = Simulation(partitions: 2)
        let error = KafkaError(code: .timedOut, message: "not authorized")
        simulation.cluster.commitFate = { _ in .failed(error, after: .milliseconds(2), isStored: false) }
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)", to: 1) }
        let first = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect(first.engine.commits.trouble != nil)
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(30)) { first.engine.assignments.count == 1 }
        if first.engine.assignments.first?.partition.partition == 1 { simulation.cluster.rebalance() }
        try simulation.run(for: .seconds(30)) { first.engine.assignments.first?.partition.partition == 0 }
        simulation.cluster.commitFate = { _ in .acknowledged(after: .milliseconds(2)) }
        for _ in 0..<60 {
            try simulation.run(for: .seconds(1))
            #expect(first.engine.unreadiness == nil)
        }
        #expect(second.engine.unreadiness == nil)
        #expect(simulation.cluster.isEverythingCommitted)
        #expect(simulation.violations == [])
    }

    @Test func aWorkerThatHasNothingToDoIsReady() throws {
        let simulation = Simulation()
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(600))
        #expect(worker.engine.unreadiness == nil)
    }

    /// The engine looks for a standstill with each report. A turn shortly before a report must not put it off.
    @Test func anEngineSleepsUntilItsNextReportAtMost() throws {
        let simulation = Simulation()
        let worker = simulation.startWorker()
        for index in 0..<50 {
            if index % 7 == 0 { simulation.cluster.append("ok", key: "k\(index)") }
            try simulation.run(for: .milliseconds(130))
            #expect(worker.nextDue <= worker.engine.nextReport, "step \(index)")
        }
    }
}
