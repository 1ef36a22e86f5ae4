import FlotillaRecords
import FlotillaWorkerKit
import FlotillaWorkerTestKit
import Records
import Synchronization
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

/// Interceptors and channels around a worker's own two functions.
struct InterceptedHandlerTests {
    /// Calls once more after a first answer 300, and is done after any other.
    private struct Echo: Worker {
        static let identity = Identity(name: "echo-worker", topic: "echo", upstream: "echo")

        var interceptors: [any Interceptor] = []
        var channels: [any FlotillaWorkerKit.Channel] = []

        init(_ settings: Settings) {}

        init(_ interceptors: [any Interceptor], _ channels: [any FlotillaWorkerKit.Channel] = []) {
            self.interceptors = interceptors
            self.channels = channels
        }

        func plan(_ record: Record, _ attempt: FlotillaWorkerKit.Attempt) -> FlotillaWorkerKit.Plan<String> {
            let url = "https://echo.example/\(record.header("path") ?? "")"
            return .call(Request(.post, url, body: record.value), for: "job")
        }

        func interpret(
            _ exchange: FlotillaWorkerKit.Exchange,
            of job: String,
            _ attempt: FlotillaWorkerKit.Attempt
        ) -> FlotillaWorkerKit.Verdict<String> {
            guard case .response(let response) = exchange else { return .answer([:]) }
            if let wait = response.retryAfter(attempt) {
                return .retry(.status(response.status), after: wait, isForEverybody: true)
            }
            guard response.status == 300 else { return .answer([:]) }
            return .call(Request(.get, "https://echo.example/again"), for: "second")
        }
    }

    /// Writes down what it is shown, and does what it is told.
    private final class Witness: Interceptor {
        let seen = Mutex<[String]>([])
        let vetoed: Set<String>

        init(vetoing vetoed: Set<String> = []) { self.vetoed = vetoed }

        private func note(_ point: String) throws(Veto) {
            self.seen.withLock { $0.append(point) }
            if self.vetoed.contains(point) { throw Veto("told.to", "The test says so.") }
        }

        func received(_ record: inout Record) throws(Veto) {
            record.headers.append(Header("path", "changed"))
            record.value = [9]
            try self.note("received")
        }

        func decoded(_ content: any Sendable, of record: Record) throws(Veto) {
            try self.note("decoded \(content)")
        }

        func willSend(_ request: inout Request, for record: Record) throws(Veto) {
            request.headers.append(HTTPField("X-Seen", "yes"))
            request.url = "https://elsewhere.example/"
            try self.note("willSend \(request.method.rawValue)")
        }

        func didSend(_ request: Request, for record: Record, _ exchange: FlotillaWorkerKit.Exchange) {
            self.seen.withLock { $0.append("didSend \(request.url) \(request.headers.map(\.name))") }
        }

        func didSettle(_ record: Record, _ outcome: FlotillaRecords.Outcome) {
            self.seen.withLock { $0.append("didSettle \(outcome.fate)") }
        }
    }

    private static let record = InboundRecord(topic: "echo", partition: 0, offset: 1, value: [1])
    private static let first = WorkerKit.Attempt(number: 1, now: 0)

    private static func plan(_ witness: Witness) -> (String, WorkerKit.Call<any Sendable>?) {
        let handler = ErasedHandler(WorkerShellProgram<Echo>.handler(Echo([witness])))
        switch handler.plan(self.record, self.first, with: handler.emptyMemory()) {
        case .call(let call): return ("call", call)
        case .refuse(let reason, _): return ("refuse \(reason.code)", nil)
        case .answer, .reject: return ("something else", nil)
        }
    }

    @Test func changesReachTheWorkerAndTheUpstreamInHeadersAlone() throws {
        let witness = Witness()
        let (_, planned) = Self.plan(witness)
        let call = try #require(planned)
        #expect(call.request.url == "https://echo.example/changed")
        #expect(call.request.body == [1])
        #expect(call.request.headers == [HTTPHeader("X-Seen", "yes")])
        #expect(witness.seen.withLock { $0 } == ["received", "decoded job", "willSend POST"])
    }

    @Test(arguments: [
        ("received", 1), ("decoded job", 2), ("willSend POST", 3),
    ])
    func aVetoEndsTheRecordAtOnce(point: String, count: Int) {
        let witness = Witness(vetoing: [point])
        let (plan, _) = Self.plan(witness)
        #expect(plan == "refuse told.to")
        #expect(witness.seen.withLock { $0.count } == count)
    }

    @Test func aSecondCallIsShownToo() throws {
        let witness = Witness(vetoing: ["willSend GET"])
        let handler = ErasedHandler(WorkerShellProgram<Echo>.handler(Echo([witness])))
        let memory = handler.emptyMemory()
        guard case .call(let call) = handler.plan(Self.record, Self.first, with: memory) else {
            Issue.record("no call was planned")
            return
        }
        let answer = WorkerKit.Exchange.response(HTTPResponse(status: 300))
        guard case .refuse(let reason, _) = handler.interpret(answer, of: call.job, Self.first, with: memory)
        else {
            Issue.record("the second call was not vetoed")
            return
        }
        #expect(reason.code == "told.to")
        let seen = witness.seen.withLock { $0 }
        #expect(seen.suffix(2) == ["didSend https://echo.example/changed [\"X-Seen\"]", "willSend GET"])
    }

    /// A topic that gets a copy of everything.
    private struct Copies: FlotillaWorkerKit.Channel {
        let topic: String

        func record(for record: Record, _ outcome: FlotillaRecords.Outcome) -> ChannelRecord? {
            ChannelRecord(copying: record)
        }
    }

    @Test func everyRecordIsSettledAndCopiedInStorms() throws {
        let witness = Witness()
        let worker = Echo([witness], [Copies(topic: "copies"), Copies(topic: "more")])
        let sample = Rehearsal.Sample(ChannelRecord(key: [1], value: [1]))
        let report = try Rehearsal(of: worker, samples: [sample]) { _ in Response(200) }.storms(seeds: 0..<40)
        let settled = witness.seen.withLock { $0.count { $0.hasPrefix("didSettle") } }
        // Crashes leave out some and repeat some.
        #expect(settled > report.records / 2)
    }

    @Test func codesAndTextsAreBounded() {
        let reason = FlotillaWorkerKit.Reason("Has Spaces/and.more", String(repeating: "é", count: 1_000))
        #expect(reason.code == "_as__paces_and.more")
        #expect(reason.text.utf8.count == 512)
        #expect(FlotillaWorkerKit.Reason.status(9_999).code == "http.other")
    }

    @Test(arguments: ValueFormat.allCases)
    func aResultCanBeReadInSwift(format: ValueFormat) throws {
        let outcome = WireFormats.Outcome(
            topic: "echo",
            partition: 2,
            offset: 7,
            fate: .succeeded,
            reason: nil,
            attempts: 1,
            deadLetterID: nil,
            receivedAt: 1_700_000_000_000,
            settledAt: 1_700_000_000_001,
            worker: "echo-worker",
            workerVersion: "1"
        )
        let handler = WorkerHandler(Echo([]))
        let value = handler.encode(outcome, ["row": "17", "a\"b": "ü"], as: format)
        let result = try WorkerResult(decoding: Record(topic: "echo.result", value: value))
        #expect(result.answer == ["row": "17", "a\"b": "ü"])
        #expect(result.outcome?.id == "echo/2/7")
    }
}
