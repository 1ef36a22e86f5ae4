import Glibc
import Operations
import Records
import ServiceKit
import UpstreamHTTP
import WireFormats
import WorkerKit

enum DeadlyProgram: WorkerProgram {
    static let identity = WorkerIdentity(name: "deadly-worker", topic: "deadly", upstream: "none")

    static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> DeadlyHandler {
        DeadlyHandler()
    }

    static func masked(_ request: HTTPRequest) -> HTTPRequest { request }
}

/// Answers every record at once, except those that say how the process dies.
struct DeadlyHandler: Handler {
    func plan(
        _ record: InboundRecord,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Plan<Never, Void> {
        switch String(decoding: record.value ?? [], as: UTF8.self) {
        case "trap": fatalError("this record is deadly")
        case "out of memory": kill(getpid(), SIGKILL)
        default: break
        }
        return .answer(())
    }

    func interpret(
        _ exchange: Exchange,
        of job: Never,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Verdict<Never, Void> {}

    func encode(_ outcome: Outcome, _ answer: Void?, as format: ValueFormat) -> [UInt8] {
        ActivationResult.encode(outcome, nil, as: format)
    }
}
