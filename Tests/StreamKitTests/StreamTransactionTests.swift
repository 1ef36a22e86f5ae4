import Kafka
import Simulation
import StreamKit
import Testing

/// All of a transaction is there or nothing is, and the engine knows which.
struct StreamTransactionTests {
    @Test func whatFailsToBeWrittenIsDoneAgain() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        var failures = 3
        simulation.cluster.produceFate = { _ in
            failures -= 1
            return failures >= 0
                ? .failed(.timedOut, after: .milliseconds(3), isWritten: false)
                : .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        #expect(worker.log.count("transaction failed") == 1)
    }

    /// `run --until` ends only then: a transaction that fails after the last record was read is done again first.
    @Test func theInputIsCommittedOnceTheGroupStandsAtItsEnd() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        var failures = 3
        simulation.cluster.produceFate = { _ in
            failures -= 1
            return failures >= 0
                ? .failed(.timedOut, after: .milliseconds(3), isWritten: false)
                : .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<10)
        var offsets: [Int64?] = []
        let isCommitted = try simulation.run(for: .seconds(60)) {
            guard worker.engine.processedRecords > 0, worker.engine.isInputCommitted else { return false }
            offsets.append(simulation.cluster.committedOffset())
            return true
        }
        #expect(isCommitted)
        #expect(offsets == [10])
        #expect(worker.log.count("transaction failed") == 1)
    }

    /// A backlog that makes a transaction too large for its time must not be tried in the same size for ever.
    @Test func aTransactionThatIsTooLargeIsTriedSmaller() throws {
        let simulation = StreamSimulation()
        simulation.startWorker()
        var sent = 0
        simulation.cluster.openFate = {
            sent = 0
            return nil
        }
        simulation.cluster.transactionFate = { _ in
            sent = 0
            return .committed(after: .milliseconds(6))
        }
        simulation.cluster.produceFate = { _ in
            sent += 1
            return sent > 40
                ? .failed(.timedOut, after: .milliseconds(3), isWritten: false)
                : .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<200)
        try simulation.expectEverythingSettled()
    }

    /// A producer that publishes in transactions leaves marks, and the group's lag would never be none.
    @Test func marksOfTransactionsAtTheEndOfTheInputAreCommitted() throws {
        let simulation = StreamSimulation()
        simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        let before = simulation.cluster.committedOffset() ?? 0
        for _ in 0..<2 { simulation.cluster.appendMarker() }
        #expect(try simulation.run(for: .seconds(5)) { simulation.cluster.committedOffset() == before + 2 })
        try simulation.expectEverythingSettled()
    }

    @Test func reportsOfAProducerThatWasGivenUpCountForNothing() throws {
        let simulation = StreamSimulation()
        simulation.startWorker()
        // One record of the first transaction fails at once, and those after it are acknowledged before there is a new
        // producer.
        var sent = 0
        simulation.cluster.produceFate = { _ in
            sent += 1
            return sent == 1
                ? .failed(.timedOut, after: .milliseconds(1), isWritten: false)
                : .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
    }

    @Test func anOfferWaitsForATransactionWithoutASleeplessWait() throws {
        let simulation = StreamSimulation()
        var refusals = 3
        simulation.cluster.openFate = {
            refusals -= 1
            return refusals >= 0 ? .timedOut : nil
        }
        simulation.append(0..<10)
        let worker = simulation.startWorker()
        try simulation.run(for: .milliseconds(500))
        #expect(worker.engine.unreadiness == "no transaction")
        try simulation.expectEverythingSettled()
    }

    @Test func aChangelogBehindADeadWorkersTransactionIsWaitedFor() throws {
        let simulation = StreamSimulation()
        let first = simulation.startWorker()
        simulation.append(0..<10)
        var isCommitting = false
        simulation.cluster.transactionFate = { _ in
            isCommitting = true
            return .unanswered(after: .seconds(10), .nothing)
        }
        #expect(try simulation.run(for: .seconds(2)) { isCommitting })
        simulation.kill(first)
        simulation.cluster.transactionFate = { _ in .committed(after: .milliseconds(6)) }
        let second = simulation.startWorker()
        try simulation.run(for: .seconds(10))
        // The transaction times out after fifteen seconds.
        #expect(second.engine.unreadiness == "reading back the state")
        try simulation.expectEverythingSettled()
    }

    @Test func readsNothingAboveItsMemoryLimitAndGoesOnBelowIt() throws {
        var setup = StreamSetup()
        setup.settings.memoryLimit = 1_000
        setup.pace = .seconds(6)
        setup.isPunctual = false
        let simulation = StreamSimulation(setup)
        let worker = simulation.startWorker()
        simulation.append(0..<20)
        try simulation.run(for: .seconds(3))
        #expect(worker.engine.unreadiness == "the state takes more memory than state.memory_limit allows")
        let before = worker.engine.processedRecords
        simulation.append(20..<40)
        try simulation.run(for: .seconds(2))
        #expect(worker.engine.processedRecords == before)
        try simulation.expectEverythingSettled()
        #expect(worker.engine.unreadiness == nil)
    }
}
