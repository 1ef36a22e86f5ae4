import Records
import Simulation
import Synchronization
import Testing
import UpstreamHTTP
import WireFormats
import WorkerTestSupport

@testable import ServiceKit
@testable import WorkerKit

/// A handler that tells a test which records have been settled.
private struct ToldHandler: Handler {
    let told: @Sendable (Int64) -> Void

    func plan(_ record: InboundRecord, _ attempt: Attempt, with memory: inout NoMemory) -> Plan<Never, String>
    { .answer("done") }

    func interpret(_ exchange: Exchange, of job: Never, _ attempt: Attempt, with memory: inout NoMemory)
        -> Verdict<Never, String>
    {}

    func encode(_ outcome: Outcome, _ answer: String?, as format: ValueFormat) -> [UInt8] {
        SimulatedOutcome(outcome, answer).encoded
    }

    var settled: (@Sendable (InboundRecord, Outcome) -> Void)? {
        { record, _ in self.told(record.offset) }
    }
}

/// The part of a handler that is told of settled records.
struct SettledCrashGuardTests {
    @Test func aDeadlyRecordIsNotGivenToSettled() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<CrashRecorder.deadly {
            try CrashRecorder(folder: folder.path).mark(
                topic: SimulatedCluster.topic,
                partition: 0,
                offset: 1
            )
        }
        let told = Mutex<[Int64]>([])
        let simulation = Simulation()
        simulation.handler = ErasedHandler(ToldHandler { offset in told.withLock { $0.append(offset) } })
        for index in 0..<3 { simulation.cluster.append("\(index)") }
        simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(told.withLock { $0.sorted() } == [0, 2])
    }
}
