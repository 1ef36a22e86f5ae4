import FlotillaRecords
import FlotillaWorkerTestKit
import Records
import ServiceKit
import Synchronization
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import FlotillaWorkerKit

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

    /// Without a token the engine asks the handler again and again for a call that was never sent.
    @Test func aCallThatWasNotSentIsNotShownAsSent() {
        let witness = Witness(vetoing: [])
        let handler = ErasedHandler(WorkerShellProgram<Echo>.handler(Echo([witness])))
        let memory = handler.emptyMemory()
        guard case .call(let call) = handler.plan(Self.record, Self.first, with: memory) else {
            Issue.record("no call was planned")
            return
        }
        _ = handler.interpret(.failure(.notReady), of: call.job, Self.first, with: memory)
        #expect(witness.seen.withLock { $0.last } == "willSend POST")
        let timeout = TransferError(kind: .timeout, mayHaveBeenSent: true, message: "t")
        _ = handler.interpret(.ambiguous(timeout), of: call.job, Self.first, with: memory)
        #expect(witness.seen.withLock { $0.last }?.hasPrefix("didSend ") == true)
    }

    // MARK: - Batches

    /// A batch whose request names its time in a header.
    private struct Batch: BatchTemplate {
        let key = "account"
        let elementsLimit = 50
        let bytesLimit = 50_000
        let requestsLimit = 1
        let isReady = true

        func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
            HTTPRequest(
                method: .post,
                url: "https://batch.example/",
                headers: [HTTPHeader("Content-Type", "a/b"), HTTPHeader("timestamp", "\(now)")],
                body: Array(elements.joined(separator: [0x2C]))
            )
        }

        func scope(of response: HTTPResponse) -> BatchScope { .request }
    }

    private static func template(_ change: (inout [HTTPHeader]) -> Void) -> InterceptedTemplate {
        let planned = BatchPart([1], of: Batch(), plannedAt: 7).alone.headers
        var changed = planned
        change(&changed)
        return InterceptedTemplate(Batch(), planned: planned, changed: changed)
    }

    /// The time is that of the sending, whatever an interceptor was shown.
    @Test func aChangeOfHeadersReachesABatch() {
        let template = Self.template { headers in
            headers[0].value = "c/d"
            headers.append(HTTPHeader("X-Tenant", "north"))
        }
        let request = template.request(of: [[1], [2]], at: 9, nonce: "n")
        #expect(request.body == [1, 0x2C, 2])
        #expect(
            request.headers == [
                HTTPHeader("timestamp", "9"), HTTPHeader("Content-Type", "c/d"),
                HTTPHeader("X-Tenant", "north"),
            ]
        )
        let without = Self.template { $0.removeFirst() }
        #expect(
            without.request(of: [[1]], at: 9, nonce: "n").headers == [HTTPHeader("timestamp", "9")]
        )
    }

    /// A record of one tenant never goes under the name of another.
    @Test func recordsWithOtherHeadersShareNoRequest() {
        func tenant(_ name: String) -> InterceptedTemplate {
            Self.template { $0.append(HTTPHeader("X-Tenant", name)) }
        }
        #expect(Self.template { _ in }.key == Batch().key)
        #expect(tenant("north").key == tenant("north").key)
        #expect(Set([tenant("north").key, tenant("south").key, Batch().key]).count == 3)
        var queue = BatchQueue()
        for (id, name) in [(1, "north"), (2, "south"), (3, "north")] {
            queue.add(BatchPart([UInt8(id)], of: tenant(name), plannedAt: 7), id: UInt64(id))
        }
        var batches: [[[UInt8]]] = []
        while let batch = queue.next(as: UInt64(batches.count)) { batches.append(batch.elements) }
        #expect(batches == [[[1], [3]], [[2]]])
    }

    /// Passes records on to a batch.
    private struct Batching: Handler {
        func plan(
            _ record: InboundRecord,
            _ attempt: WorkerKit.Attempt,
            with memory: inout NoMemory
        ) -> WorkerKit.Plan<String, NoAnswer> {
            .call(Call(.part(BatchPart([1], of: Batch(), plannedAt: 7)), for: "job", lane: "lane"))
        }

        func interpret(
            _ exchange: WorkerKit.Exchange,
            of job: String,
            _ attempt: WorkerKit.Attempt,
            with memory: inout NoMemory
        ) -> WorkerKit.Verdict<String, NoAnswer> { .answer(NoAnswer()) }

        func encode(_ outcome: WireFormats.Outcome, _ answer: NoAnswer?, as format: ValueFormat) -> [UInt8] {
            []
        }
    }

    private struct NoAnswer: Sendable {}

    @Test func anInterceptorChangesTheHeadersOfAPart() throws {
        let handler = InterceptedHandler(
            Batching(),
            interceptors: [Witness()],
            channels: [],
            content: { $0 }
        )
        var memory = handler.emptyMemory
        guard case .call(let call) = handler.plan(Self.record, Self.first, with: &memory),
            case .part(let part) = call.content
        else {
            Issue.record("no part was planned")
            return
        }
        #expect(part.alone.headers.last == HTTPHeader("X-Seen", "yes"))
        #expect(part.alone.url == "https://batch.example/")
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
