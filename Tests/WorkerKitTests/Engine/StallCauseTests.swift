import Kafka
import Operations
import Simulation
import Testing
import UpstreamHTTP

@testable import ServiceKit
@testable import WorkerKit

/// Each further cause of a standstill has a worker here that stands still for it. Its readiness, its log and its metric say
/// so, and all three end with the standstill.
struct StallCauseTests {
    private typealias Reply = SimulatedUpstream.Reply

    private let registry = PrometheusRegistry()

    private func isShown(_ cause: String, _ value: Int) -> Bool {
        self.registry.exposition().split(separator: "\n").contains {
            $0 == "worker_stalled{cause=\"\(cause)\"} \(value)"
        }
    }

    /// Lets a worker stand still.
    ///
    /// - Parameters:
    ///   - remedy: A part of the sentence that says what ends the standstill.
    private func play(
        _ simulation: Simulation,
        until cause: String,
        naming remedy: String
    ) throws -> SimulatedWorker {
        simulation.metrics = self.registry
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(30))
        #expect(worker.engine.unreadiness == nil)
        for _ in 30..<35 {
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
        }
        try worker.expectStandstill(cause, naming: remedy)
        #expect(self.isShown(cause, 1), "\(self.registry.exposition())")
        #expect(simulation.violations == [])
        return worker
    }

    /// Settles everything, and expects that the worker is ready again.
    private func goOn(_ simulation: Simulation, _ worker: SimulatedWorker, after cause: String) throws {
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(2)) { worker.engine.unreadiness == nil })
        #expect(self.isShown(cause, 0), "\(self.registry.exposition())")
        #expect(simulation.violations == [])
    }

    /// The right to read the topic is missing, as one example. The client tells an error of a partition once.
    @Test func aPartitionThatCannotBeRead() throws {
        let simulation = Simulation()
        let input = TopicPartition(topic: SimulatedCluster.topic, partition: 0)
        simulation.cluster.readErrors[input] = KafkaError(
            code: .unknownPartition,
            message: "Topic authorization failed"
        )
        simulation.cluster.append("ok")
        let worker = try self.play(simulation, until: "input", naming: "right to READ it")
        #expect(worker.engine.unreadiness == "\(input) cannot be read: Topic authorization failed")
        simulation.cluster.readErrors = [:]
        simulation.cluster.append("ok")
        try self.goOn(simulation, worker, after: "input")
    }

    /// The transaction coordinator takes the commit and does not answer.
    @Test func aTransactionThatNobodyEnds() throws {
        let simulation = Simulation { $0.delivery = .exactlyOnce }
        simulation.cluster.transactionFate = { _ in .unanswered(after: .seconds(100), .nothing) }
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = try self.play(
            simulation,
            until: "transaction",
            naming: "right to WRITE its transactional id"
        )
        simulation.cluster.transactionFate = { _ in .committed(after: .milliseconds(6)) }
        try self.goOn(simulation, worker, after: "transaction")
    }

    /// Calls are answered and outcomes are written all the time. They would all come again after a restart. The refusal
    /// has to be as old as the bound first, and from then on progress does not count.
    @Test func offsetsThatNobodyStores() throws {
        let simulation = Simulation()
        let error = KafkaError(code: .timedOut, message: "not authorized")
        simulation.cluster.commitFate = { _ in .failed(error, after: .milliseconds(2), isStored: false) }
        HonestPublisher(simulation).publish(perSecond: 5, for: .seconds(100))
        let worker = try self.play(
            simulation,
            until: "commit",
            naming: "right to READ as the group 'workers'"
        )
        #expect(simulation.cluster.outcomes.count > 150)
        simulation.cluster.commitFate = { _ in .acknowledged(after: .milliseconds(2)) }
        try simulation.run(for: .seconds(40))
        try self.goOn(simulation, worker, after: "commit")
    }

    @Test func recordsBeyondTheDeadLetterBudget() throws {
        let simulation = Simulation { $0.budget.letters = 5 }
        for index in 0..<20 { simulation.cluster.append("undecodable", key: "k\(index)") }
        let worker = try self.play(simulation, until: "dead_letter_budget", naming: "budget.dead_letters")
        #expect(
            worker.engine.unreadiness == "15 records wait for the dead-letter budget of undecodable"
        )
        try self.goOn(simulation, worker, after: "dead_letter_budget")
    }

    @Test func callsThatNobodyAnswers() throws {
        let simulation = Simulation()
        simulation.reply = { _ in Reply(200, after: .seconds(100)) }
        for index in 0..<10 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = try self.play(simulation, until: "upstream_slow", naming: "http.timeout")
        #expect(worker.engine.unreadiness == "10 calls to simulated are out and none is answered")
        try self.goOn(simulation, worker, after: "upstream_slow")
    }

    /// Each record was told to wait, and none can be parked.
    private static func waiting(_ adjust: (inout EngineSettings) -> Void = { _ in }) -> Simulation {
        let simulation = Simulation {
            $0.resolvesHeadOfLine = false
            adjust(&$0)
        }
        simulation.reply = {
            $0.value == "later" && $0.at < 300_000_000_000 ? Reply(409, retryAfter: 300) : Reply(200)
        }
        return simulation
    }

    @Test func recordsThatFillTheHands() throws {
        let simulation = Self.waiting { $0.recordsLimit = 20 }
        for index in 0..<40 { simulation.cluster.append("later", key: "k\(index)") }
        let worker = try self.play(simulation, until: "memory", naming: "worker.records_limit")
        #expect(worker.engine.unreadiness == "20 unfinished records leave no room for others")
        try self.goOn(simulation, worker, after: "memory")
    }

    /// The next record lies further from the unfinished one than the metadata of a commit can remember.
    @Test func aRecordThatHoldsTheWindow() throws {
        let simulation = Self.waiting()
        simulation.cluster.append("later", key: "k")
        simulation.cluster.append("ok", key: "far", skipping: Int64(PartitionProgress.window))
        let worker = try self.play(
            simulation,
            until: "window",
            naming: "worker_oldest_unfinished_age_seconds"
        )
        try self.goOn(simulation, worker, after: "window")
    }

    @Test func recordsThatAllWaitForTheirNextTry() throws {
        let simulation = Self.waiting()
        for index in 0..<10 { simulation.cluster.append("later", key: "k\(index)") }
        let worker = try self.play(simulation, until: "retry", naming: "retry.longest")
        #expect(worker.engine.unreadiness == "all 10 records in hand wait for their next try")
        try self.goOn(simulation, worker, after: "retry")
    }
}
