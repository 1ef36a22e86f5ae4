import Foundation
import Records
import Simulation
import Synchronization
import Testing
import UpstreamHTTP
import WireFormats
import WorkerTestSupport

@testable import ServiceKit
@testable import WorkerKit

/// Tells a test which step of it the engine is about to take, and with which record.
///
/// Nothing is called: a record whose deadline has not passed is answered at once.
private struct WatchedHandler: Handler {
    enum Step: String, CaseIterable, Sendable {
        case plan
        case unknownFields
        case expired
        case encode
    }

    let told: @Sendable (Step, Int64) -> Void

    func plan(_ record: InboundRecord, _ attempt: Attempt, with memory: inout NoMemory) -> Plan<Never, String>
    {
        self.told(.plan, record.offset)
        return .answer("done")
    }

    func interpret(
        _ exchange: Exchange,
        of job: Never,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Verdict<Never, String> {}

    func unknownFields(in record: InboundRecord) -> UnknownFields? {
        self.told(.unknownFields, record.offset)
        return nil
    }

    func expired(_ record: InboundRecord, _ attempt: Attempt) -> String? {
        self.told(.expired, record.offset)
        return "too late"
    }

    /// An outcome without an answer holds nothing of the handler's, and the engine writes one for every dead letter.
    func encode(_ outcome: Outcome, _ answer: String?, as format: ValueFormat) -> [UInt8] {
        if answer != nil { self.told(.encode, outcome.offset) }
        return SimulatedOutcome(outcome, answer).encoded
    }
}

/// Each record is marked while the handler has it, whichever step of the handler that is.
struct CrashGuardTests {
    private typealias Step = WatchedHandler.Step

    private struct Sight: Hashable {
        var step: Step
        var offset: Int64
        /// The offset of the record that is marked meanwhile; nil if none is.
        var marked: Int64?
    }

    /// Four records, of which the one at offset 1 is past its deadline.
    private static func simulation(_ told: @escaping @Sendable (Step, Int64) -> Void) -> Simulation {
        let simulation = Simulation { $0.deadline = .seconds(300) }
        simulation.handler = ErasedHandler(WatchedHandler(told: told))
        for index in 0..<4 {
            let age: Int64 = index == 1 ? 400_000 : 0
            simulation.cluster.append("\(index)", timestamp: simulation.clock.now.wall - age)
        }
        return simulation
    }

    /// The mark that another process would find in the folder.
    private static func mark(in folder: TemporaryFolder) throws -> CrashMark? {
        let slot = folder.file(CrashFolder.name(ofSlot: 0))
        return try CrashMark.read([UInt8](Data(contentsOf: slot)))
    }

    /// A mark that comes too late names no record, and a mark that stays longer than the handler's step would blame a
    /// record for a death that it did not cause.
    @Test func aRecordIsMarkedInEveryStepOfTheHandlerAndNotBetweenThem() throws {
        let folder = try TemporaryFolder()
        let sights = Mutex<[Sight]>([])
        let simulation = Self.simulation { step, offset in
            let marked = (try? Self.mark(in: folder))?.place.offset
            sights.withLock { $0.append(Sight(step: step, offset: offset, marked: marked)) }
        }
        var marksWhileSending: [CrashMark?] = []
        simulation.cluster.produceFate = { _ in
            marksWhileSending.append(try? Self.mark(in: folder))
            return .acknowledged(after: .milliseconds(2))
        }
        simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.cluster.fates() == ["succeeded", "expired", "succeeded", "succeeded"])
        let seen = sights.withLock { $0 }
        #expect(seen.allSatisfy { $0.marked == $0.offset }, "\(seen)")
        #expect(Set(seen.filter { $0.offset == 1 }.map(\.step)) == [.unknownFields, .expired, .encode])
        #expect(Set(seen.filter { $0.offset == 2 }.map(\.step)) == [.plan, .unknownFields, .encode])
        #expect(marksWhileSending == [nil, nil, nil, nil])
        #expect(try Self.mark(in: folder) == nil)
        #expect(simulation.violations == [])
    }

    /// Lets this process handle the records, and die in one step with one of them.
    private static func die(in step: String, of deadly: Int64, folder: String) throws {
        let simulation = self.simulation { reached, offset in
            if reached.rawValue == step, offset == deadly { kill(getpid(), SIGKILL) }
        }
        simulation.startWorker(try CrashRecorder(folder: folder))
        try simulation.settleEverything(within: .seconds(10))
    }

    /// `expired` decodes a record again, and `encode` has its answer. Neither was once asked whether the record is deadly.
    @Test(arguments: [("expired", 1), ("encode", 1), ("encode", 2), ("unknownFields", 2), ("plan", 2)])
    func aRecordThatKilledThreeTimesInOneStepIsNotTouchedAgain(step: String, deadly: Int64) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        for _ in 0..<CrashRecorder.deadly {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [step = step as String, deadly = deadly as Int64, path = path as String] in
                try CrashGuardTests.die(in: step, of: deadly, folder: path)
            }
        }
        let touched = Mutex<[Step]>([])
        let simulation = Self.simulation { step, offset in
            if offset == deadly { touched.withLock { $0.append(step) } }
        }
        simulation.startWorker(try CrashRecorder(folder: path))
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.cluster.fates().filter { $0 == "dead_lettered" }.count == 1)
        #expect(simulation.cluster.outcome(deadly)?.reason == "crash_loop")
        #expect(touched.withLock { $0 } == [])
        // The record is settled, so no death is held against it once the worker has heard of the commit.
        try simulation.run(for: .seconds(1))
        #expect(try CrashRecorder(folder: path).hasDeaths == false)
        #expect(simulation.violations == [])
    }
}
