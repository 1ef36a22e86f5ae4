import Kafka
import Operations
import ServiceKit
import Simulation
import Testing

@testable import StreamKit

/// Each further cause of a standstill has a stream worker here that stands still for it. Its readiness, its log and its
/// metric say so, and all three end with the standstill.
struct StreamStallCauseTests {
    private static let input = TopicPartition(topic: "work", partition: 0)

    private let registry = PrometheusRegistry()

    private func isShown(_ cause: String, _ value: Int) -> Bool {
        self.registry.exposition().split(separator: "\n").contains {
            $0 == "worker_stalled{cause=\"\(cause)\",thread=\"0\"} \(value)"
        }
    }

    /// Starts a worker, and lets it stand still.
    ///
    /// - Parameter remedy: A part of the sentence that says what ends the standstill.
    private func play(
        _ simulation: StreamSimulation,
        until cause: String,
        naming remedy: String
    ) throws -> StreamWorker {
        simulation.metrics = self.registry
        let worker = simulation.startWorker()
        try self.play(simulation, worker, until: cause, naming: remedy)
        return worker
    }

    private func play(
        _ simulation: StreamSimulation,
        _ worker: StreamWorker,
        until cause: String,
        naming remedy: String
    ) throws {
        try simulation.run(for: .seconds(30))
        #expect(worker.engine.unreadiness?.contains("stalled") != true)
        for _ in 0..<5 {
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
        }
        let told = worker.engine.unreadiness ?? ""
        #expect(told.hasPrefix("stalled (\(cause)): ") && told.contains(remedy), "\(told)")
        #expect(worker.log.count(beginning: "the worker stands still") == 1)
        #expect(worker.log.values(of: "cause") == [cause])
        #expect(worker.log.values(of: "remedy").first?.contains(remedy) == true)
        #expect(self.isShown(cause, 1), "\(self.registry.exposition())")
    }

    private func goOn(_ simulation: StreamSimulation, _ worker: StreamWorker, after cause: String) throws {
        try simulation.expectEverythingSettled()
        try simulation.run(for: .seconds(5)) { worker.engine.unreadiness == nil }
        #expect(worker.engine.unreadiness == nil)
        #expect(self.isShown(cause, 0), "\(self.registry.exposition())")
    }

    @Test func recordsThatNobodyAcknowledges() throws {
        let simulation = StreamSimulation()
        simulation.cluster.produceFate = { _ in .acknowledged(after: .seconds(50)) }
        simulation.append(0..<10)
        let worker = try self.play(simulation, until: "produce", naming: "its brokers")
        simulation.cluster.produceFate = { _ in .acknowledged(after: .milliseconds(2)) }
        try self.goOn(simulation, worker, after: "produce")
    }

    @Test func aCommitThatNobodyAnswers() throws {
        let simulation = StreamSimulation()
        simulation.cluster.transactionFate = { _ in .unanswered(after: .seconds(50), .nothing) }
        simulation.append(0..<10)
        let worker = try self.play(simulation, until: "commit", naming: "its brokers")
        simulation.cluster.transactionFate = { _ in .committed(after: .milliseconds(6)) }
        try self.goOn(simulation, worker, after: "commit")
    }

    /// Partitions are given back only once the transaction that holds their work is decided.
    @Test func aCommitThatNobodyAnswersInARebalance() throws {
        var setup = StreamSetup()
        setup.commitLimit = .seconds(60)
        let simulation = StreamSimulation(setup)
        simulation.metrics = self.registry
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        simulation.cluster.transactionFate = { _ in .unanswered(after: .seconds(50), .nothing) }
        simulation.append(10..<20)
        let isCommitting = try simulation.run(for: .seconds(5)) {
            guard case .committing(let positions) = worker.engine.stage else { return false }
            return positions.contains { $0.offset == 20 }
        }
        #expect(isCommitting)
        simulation.cluster.rebalance()
        try simulation.run(for: .seconds(5))
        #expect(worker.engine.unreadiness == "giving partitions back")
        try simulation.run(for: .seconds(30))
        #expect(worker.engine.unreadiness?.hasPrefix("stalled (commit): ") == true)
        #expect(worker.log.values(of: "cause") == ["commit"])
        #expect(self.isShown("commit", 1), "\(self.registry.exposition())")
        simulation.cluster.transactionFate = { _ in .committed(after: .milliseconds(6)) }
        try self.goOn(simulation, worker, after: "commit")
    }

    /// A member that is frozen, or that lives and never joins, holds up the assignment of the whole group.
    @Test(arguments: [false, true]) func aGroupThatAssignsNothing(hadPartitions: Bool) throws {
        let simulation = StreamSimulation()
        let frozen = simulation.startWorker()
        simulation.metrics = self.registry
        let early = hadPartitions ? simulation.startWorker() : nil
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        try simulation.run(for: .seconds(2))
        #expect(simulation.workers.allSatisfy { $0.engine.unreadiness == nil })
        frozen.broker.isMute = true
        simulation.append(10..<20)
        simulation.cluster.rebalance()
        let worker = early ?? simulation.startWorker()
        let isTold = try simulation.run(for: .seconds(1)) {
            worker.engine.unreadiness == "no partitions assigned yet"
        }
        #expect(isTold)
        try self.play(simulation, worker, until: "group", naming: "kafka.session_timeout")
        simulation.kill(frozen)
        try self.goOn(simulation, worker, after: "group")
    }

    /// Fewer partitions than members are no standstill: the group has assigned this one an empty list.
    @Test func aMemberThatIsAssignedAnEmptyListIsReady() throws {
        let simulation = StreamSimulation()
        // The input and the parts have one partition each.
        for _ in 0..<3 { simulation.startWorker() }
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        for _ in 0..<40 {
            try simulation.run(for: .seconds(1))
            #expect(simulation.workers.allSatisfy { $0.engine.unreadiness == nil })
        }
        #expect(simulation.workers.contains { $0.engine.assignments.isEmpty })
    }

    /// A leader does not answer, or a publisher has left a transaction open.
    @Test func recordsThatDoNotArrive() throws {
        let simulation = StreamSimulation()
        simulation.cluster.mutePartitions = [Self.input]
        simulation.append(0..<10)
        let worker = try self.play(simulation, until: "fetch", naming: "fleet preflight")
        simulation.cluster.mutePartitions = []
        simulation.append(10..<20)
        try self.goOn(simulation, worker, after: "fetch")
    }

    /// The right to read the topic is missing, as one example. The client tells an error of a partition once.
    @Test func aPartitionThatCannotBeRead() throws {
        let simulation = StreamSimulation()
        simulation.cluster.readErrors[Self.input] = KafkaError(
            code: .unknownPartition,
            message: "Topic authorization failed"
        )
        simulation.append(0..<10)
        let worker = try self.play(simulation, until: "fetch", naming: "the right to read them")
        #expect(worker.engine.unreadiness?.contains("Topic authorization failed") == true)
        simulation.cluster.readErrors = [:]
        simulation.append(10..<20)
        try self.goOn(simulation, worker, after: "fetch")
    }

    @Test func aGroupThatDoesNotTellWhereItStands() throws {
        let simulation = StreamSimulation()
        simulation.cluster.committedFate = { .timedOut }
        simulation.append(0..<10)
        let worker = try self.play(simulation, until: "assignment", naming: "fleet preflight")
        simulation.cluster.committedFate = { nil }
        try self.goOn(simulation, worker, after: "assignment")
    }

    /// The records of a changelog do not come, although the cluster tells where it ends.
    @Test func aStateThatDoesNotCome() throws {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        simulation.kill(first)
        simulation.append(10..<20)
        simulation.memoryFate = { SimulatedMemory.Fate(delay: .seconds(50)) }
        let worker = try self.play(
            simulation,
            until: "restore",
            naming: "worker_stream_restored_records_total"
        )
        simulation.memoryFate = { SimulatedMemory.Fate() }
        try self.goOn(simulation, worker, after: "restore")
    }

    // MARK: - Failures

    private func refuseRecords(in simulation: StreamSimulation) {
        let error = KafkaError(code: .messageTooLarge, message: "too large")
        simulation.cluster.produceFate = { _ in .failed(error, after: .milliseconds(900), isWritten: false) }
    }

    /// The stage at the moment of a look once chose the cause: another line, and another series, at each look.
    @Test func failingTransactionsAreOneCauseHoweverMuchArrives() throws {
        let simulation = StreamSimulation()
        simulation.metrics = self.registry
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        self.refuseRecords(in: simulation)
        simulation.memoryFate = { SimulatedMemory.Fate(delay: .milliseconds(1_500)) }
        for second in 1...120 {
            simulation.append((second * 10)..<(second * 10 + 10))
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
        }
        #expect(simulation.violations == [])
        #expect(worker.log.count("transaction failed") > 5)
        #expect(worker.log.values(of: "cause") == ["transaction"])
        #expect(self.isShown("transaction", 1), "\(self.registry.exposition())")
        simulation.cluster.produceFate = { _ in .acknowledged(after: .milliseconds(2)) }
        simulation.memoryFate = { SimulatedMemory.Fate() }
        try self.goOn(simulation, worker, after: "transaction")
    }

    @Test func failuresThatAreOverAreNoCause() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        self.refuseRecords(in: simulation)
        simulation.append(10..<20)
        let haveFailed = try simulation.run(for: .seconds(20)) {
            guard worker.engine.failures > 2, case .closed = worker.engine.stage else { return false }
            return true
        }
        #expect(haveFailed)
        simulation.cluster.produceFate = { _ in .acknowledged(after: .milliseconds(2)) }
        simulation.memoryFate = { SimulatedMemory.Fate(delay: .seconds(200)) }
        try simulation.run(for: .seconds(70))
        let told = worker.engine.unreadiness ?? ""
        #expect(told.hasPrefix("stalled (restore): "), "\(told)")
    }
}
