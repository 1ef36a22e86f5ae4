import Kafka
import Records
import ServiceKit
import StreamKit
import Testing

@testable import Simulation

/// One record can bring thousands. However many come of the records that wait, a turn of the engine ends, so that its
/// transactions end in time and its process is seen to be alive.
struct StreamTurnTests {
    @Test func nothingIsProcessedWhileTheQueueOfTheProducerIsFull() throws {
        var setup = StreamSetup()
        setup.isPunctual = false
        let simulation = StreamSimulation(setup)
        let worker = simulation.startWorker()
        var room = 5
        simulation.cluster.produceFate = { _ in
            room -= 1
            return room < 0 ? .refused(.queueFull) : .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<1_000)
        try simulation.run(for: .seconds(1))
        // The outcome of the last one waits for room.
        #expect(worker.engine.processedRecords == 6)
        room = .max
        try simulation.expectEverythingSettled()
    }

    @Test func aTurnEndsWhenItHasSentMany() throws {
        let simulation = StreamSimulation()
        let (records, copies) = (40, 1_000)
        let worker = StreamWorker(simulation.topics, in: simulation.cluster, setup: StreamSetup(), number: 1)
        {
            SimulatedMemory.Fate()
        } application: { _ in
            Multiplier(copies) { _ in }
        }
        // The number of processed records changes at the end of a turn.
        var sent: [Int64: Int] = [:]
        simulation.cluster.produceFate = { _ in
            sent[worker.engine.processedRecords, default: 0] += 1
            return .acknowledged(after: .milliseconds(2))
        }
        simulation.append(0..<records)
        let isDone = try simulation.timeline.run(for: .seconds(60), in: simulation.cluster) {
            [worker]
        } died: { _ in
        } until: {
            worker.broker.committedTransactions > 0 && !worker.broker.hasLag
        }
        #expect(isDone)
        #expect(sent.values.reduce(0, +) == records * copies)
        #expect(sent.values.allSatisfy { $0 <= 4_096 + copies }, "\(sent)")
    }

    /// A partition with a backlog of such records must not take all turns.
    @Test func partitionsTakeTurns() throws {
        var setup = StreamSetup()
        setup.partitions = 2
        let simulation = StreamSimulation(setup)
        var processed: [Int32] = []
        let worker = StreamWorker(simulation.topics, in: simulation.cluster, setup: setup, number: 1) {
            SimulatedMemory.Fate()
        } application: { _ in
            Multiplier(5_000) { processed.append($0) }
        }
        for partition in 0...1 as ClosedRange<Int32> { simulation.append(0..<6, to: partition) }
        let isDone = try simulation.timeline.run(for: .seconds(60), in: simulation.cluster) {
            [worker]
        } died: { _ in
        } until: {
            processed.count == 12
        }
        #expect(isDone)
        #expect(processed == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    }
}

/// An application that publishes so many records for each one.
private final class Multiplier: StreamApplication {
    private final class Task: StreamTask {
        let copies: Int
        let processed: (Int32) -> Void
        let memory = StreamMemory.none
        let nextDue: Int64? = nil
        let byteCount = 0

        init(_ copies: Int, _ processed: @escaping (Int32) -> Void) {
            self.copies = copies
            self.processed = processed
        }

        func restore(_ record: InboundRecord, at now: Moment) {}
        func restored(at now: Moment) {}
        func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {}
        func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {}

        func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
            self.processed(record.partition)
            for _ in 0..<self.copies { output.send(OutboundRecord(topic: Part.topic, partition: 0)) }
        }
    }

    let copies: Int
    let processed: (Int32) -> Void
    let topics = [SimulatedCluster.topic]

    init(_ copies: Int, _ processed: @escaping (Int32) -> Void) {
        self.copies = copies
        self.processed = processed
    }

    func task(for partition: TopicPartition) -> any StreamTask { Task(self.copies, self.processed) }
}
