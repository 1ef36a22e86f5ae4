import Records
import ServiceKit
import Simulation
import Testing

@testable import StreamKit

/// A wall clock that is set wrong ends nothing that tasks wait for.
struct StreamClockTests {
    @Test func aStepAheadIsNotBelievedBeforeRecordsConfirmIt() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        let before = worker.engine.provenNow.wall
        worker.stepWall(by: .seconds(73 * 3_600))
        try simulation.run(for: .seconds(5))
        #expect((0...6_000).contains(worker.engine.provenNow.wall - before))
        for assignment in worker.engine.assignments {
            #expect(assignment.progress(at: worker.engine.provenNow) <= before + 6_000)
        }
        #expect(worker.log.count(beginning: "the wall clock is ahead") == 1)
        // Records of the old time confirm nothing.
        for index in 0..<5 {
            simulation.append(10 + index..<11 + index)
            try simulation.run(for: .seconds(11))
        }
        #expect(worker.engine.clock.isInDoubt)
        try simulation.expectEverythingSettled()
        worker.stepWall(by: .seconds(-73 * 3_600))
        try simulation.run(for: .seconds(5))
        #expect(!worker.engine.clock.isInDoubt)
        #expect(worker.log.count("the wall clock is believed again") == 1)
    }

    /// Nothing in the worker's own clocks shows that its clock was wrong before it started; the brokers' clock does.
    @Test func aClockThatIsAheadOfTheBrokersAtTheStartIsNotBelieved() throws {
        let simulation = StreamSimulation()
        let start = simulation.clock.now.wall
        let worker = simulation.startWorker(aheadBy: .seconds(73 * 3_600))
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        #expect(worker.engine.clock.isInDoubt)
        #expect(abs(worker.engine.provenNow.wall - simulation.clock.now.wall) < 1_000)
        #expect(worker.engine.provenNow.wall - start < 60_000)
        #expect(worker.log.count(beginning: "the wall clock is ahead") == 1)
        worker.stepWall(by: .seconds(-73 * 3_600))
        try simulation.run(for: .seconds(5))
        #expect(!worker.engine.clock.isInDoubt)
    }

    /// Workers date the records that they send to each other, and may all have the same wrong time.
    @Test(arguments: [("work", false), ("work.parts", true)])
    func recordsOfOtherWorkersConfirmNoTime(topic: String, staysInDoubt: Bool) throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker(aheadBy: .seconds(3_600))
        for offset in 0..<6 {
            try simulation.run(for: .seconds(11))
            let time = worker.engine.now.wall
            worker.engine.noteTime(
                of: InboundRecord(topic: topic, partition: 0, offset: Int64(offset), timestamp: time)
            )
        }
        #expect(worker.engine.clock.isInDoubt == staysInDoubt)
    }

    /// The time was wrong before the step, or the machine was suspended.
    @Test func recordsOfTheNewTimeConfirmAStep() throws {
        let simulation = StreamSimulation()
        let worker = simulation.startWorker()
        simulation.append(0..<10)
        try simulation.expectEverythingSettled()
        simulation.clock.stepWall(by: .seconds(3_600))
        try simulation.run(for: .seconds(2))
        #expect(worker.engine.clock.isInDoubt)
        for index in 0..<6 {
            simulation.append(10 + index..<11 + index)
            try simulation.run(for: .seconds(11))
        }
        #expect(!worker.engine.clock.isInDoubt)
        try simulation.expectEverythingSettled()
    }
}
