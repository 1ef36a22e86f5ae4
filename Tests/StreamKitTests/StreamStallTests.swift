import Kafka
import Simulation
import Testing

@testable import StreamKit

/// A worker that has something to do and finishes nothing says so, and an idle one does not.
struct StreamStallTests {
    @Test func transactionsThatNeverSucceedAreToldAfterTheBound() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        var isBroken = true
        simulation.cluster.produceFate = { _ in
            isBroken
                ? .failed(
                    KafkaError(code: .messageTooLarge, message: "too large"),
                    after: .milliseconds(3),
                    isWritten: false
                )
                : .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<10)
        try simulation.run(for: .seconds(25))
        #expect(worker.engine.unreadiness?.contains("stalled") != true)
        // Records are taken in again and again meanwhile, and nothing is finished.
        #expect(worker.engine.processedRecords > 20)
        let isTold = try simulation.run(for: .seconds(25)) {
            worker.engine.unreadiness?.hasPrefix("stalled (transaction): ") == true
        }
        #expect(isTold)
        #expect(worker.engine.unreadiness?.contains("kafka.message_limit") == true)
        try simulation.run(for: .seconds(60))
        #expect(worker.log.count(beginning: "the worker stands still") == 1)
        isBroken = false
        try simulation.expectEverythingSettled()
        #expect(worker.engine.unreadiness == nil && worker.log.count("the worker goes on") == 1)
    }

    @Test func aPausedWorkerProcessesNothingAndSaysSo() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        let processed = worker.engine.processedRecords
        worker.engine.isPaused = true
        simulation.append(10..<20)
        for _ in 0..<35 {
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
        }
        #expect(processed > 0 && worker.engine.processedRecords == processed)
        #expect(
            worker.engine.unreadiness?.hasPrefix("stalled (paused): an operator has paused the worker")
                == true
        )
        worker.engine.isPaused = false
        try simulation.expectEverythingSettled()
        try simulation.run(for: .seconds(5)) { worker.engine.unreadiness == nil }
        #expect(worker.engine.unreadiness == nil)
        #expect(simulation.cluster.violations == [])
    }

    /// Between two tries everything has been read to the end, and still nothing of it is committed.
    @Test func transactionsThatTakeLongToFailAreToldToo() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.cluster.produceFate = { _ in
            .failed(KafkaError(code: .timedOut, message: "timed out"), after: .seconds(15), isWritten: false)
        }
        simulation.append(0..<10)
        let isTold = try simulation.run(for: .seconds(34)) {
            worker.engine.unreadiness?.hasPrefix("stalled (") == true
        }
        #expect(isTold)
    }

    @Test func aStateThatStaysTooLargeIsTold() throws {
        var setup = StreamSetup()
        setup.settings.memoryLimit = 1_000
        setup.pace = .seconds(80)
        setup.isPunctual = false
        let simulation = StreamSimulation(setup)
        let worker = simulation.startWorker()
        simulation.append(0..<20)
        try simulation.run(for: .seconds(3))
        simulation.append(20..<40)
        try simulation.run(for: .seconds(40))
        #expect(worker.engine.unreadiness?.contains("stalled (memory)") == true)
        #expect(worker.engine.unreadiness?.contains("state.memory_limit") == true)
        try simulation.expectEverythingSettled()
        #expect(worker.engine.unreadiness == nil)
    }

    @Test func aStateThatCannotBeReadBackIsTold() throws {
        let simulation = StreamSimulation()
        simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        var isAway = true
        simulation.memoryFate = {
            isAway ? SimulatedMemory.Fate(error: .timedOut) : SimulatedMemory.Fate()
        }
        let second = simulation.startWorker()
        for worker in simulation.workers where worker !== second { simulation.kill(worker) }
        try simulation.run(for: .seconds(90))
        let told = second.engine.unreadiness ?? ""
        #expect(told.contains("stalled (assignment)") || told.contains("stalled (restore)"), "\(told)")
        // One line for one error, and not one a second.
        #expect(second.log.count("partitions not taken up yet") <= 2)
        isAway = false
        try simulation.run(for: .seconds(30)) { second.engine.unreadiness == nil }
        #expect(second.engine.unreadiness == nil)
    }

    @Test func aWorkerWithoutAnythingToDoNeverStalls() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        try simulation.run(for: .seconds(300))
        #expect(
            worker.engine.unreadiness == nil && worker.log.count(beginning: "the worker stands still") == 0
        )
    }

    /// The engine looks for a standstill once a second. A turn shortly before a look must not put it off.
    @Test func anEngineSleepsUntilItsNextLookForAStandstillAtMost() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        for index in 0..<50 {
            if index % 7 == 0 { simulation.append(index..<index + 1) }
            try simulation.run(for: .milliseconds(130))
            #expect(worker.wakesAt <= worker.engine.stallLookAt, "step \(index)")
        }
    }
}
