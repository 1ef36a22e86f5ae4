import Records
package import UpstreamHTTP
import WorkerKit

/// An upstream that answers what it is told to, when it is told to; and the judge of who calls it when.
package final class SimulatedUpstream: Upstream {
    package struct Reply {
        package var result: Result<HTTPResponse, TransferError>
        package var latency: Duration

        package init(
            _ status: Int,
            after latency: Duration = .milliseconds(20),
            retryAfter seconds: Int? = nil,
            body: String = ""
        ) {
            let headers = seconds.map { [HTTPHeader("retry-after", String($0))] } ?? []
            let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
            self.result = .success(response)
            self.latency = latency
        }

        /// No answer, but the end of a wait.
        package static func timeout(after latency: Duration = .seconds(5)) -> Reply {
            .failure(.timeout, mayHaveBeenSent: true, after: latency)
        }

        package static func failure(
            _ kind: TransferError.Kind,
            mayHaveBeenSent: Bool,
            after latency: Duration
        )
            -> Reply
        {
            var reply = Reply(0, after: latency)
            reply.result = .failure(
                TransferError(kind: kind, mayHaveBeenSent: mayHaveBeenSent, message: "no answer")
            )
            return reply
        }
    }

    /// One call, as its request tells.
    package struct Call: Hashable {
        package var topic: String
        package var partition: Int32
        package var offset: Int64
        package var key: String?
        package var lane: String
        package var value: String
        package var isFollowUp: Bool
        package var endpoint: SimulatedHandler.Endpoint
        package var at: Int64
    }

    private struct Gate {
        var until: Int64
        /// When it was said last.
        var at: Int64
    }

    package let clock: SimulatedClock
    package var reply: (Call) -> Reply
    package private(set) var calls: [Call] = []
    package private(set) var inFlight: [UInt64: Call] = [:]
    /// Bytes of the requests that are out and of their answers, which arrive at once and are handed over later.
    package private(set) var bytesInHand = 0
    package private(set) var mostBytesInHand = 0
    package private(set) var mostInFlight = 0
    /// Calls whose partitions were given up while they were out.
    private var orphans: Set<UInt64> = []
    private var completions = DueQueue<(UInt64, Result<HTTPResponse, TransferError>)>()
    /// The same for single records.
    private var pauses: [String: Int64] = [:]
    /// Not where a record can have two copies, of which only one was told to wait.
    var mayJudgePauses = true
    /// No call to an endpoint may begin before this: `Retry-After` said so.
    private var gates: [SimulatedHandler.Endpoint: Gate] = [:]
    /// Whether the process is still there to call.
    var isAlive: () -> Bool = { true }
    package var judge: (Call) -> Void = { _ in }
    package private(set) var violations: [String] = []

    package init(_ clock: SimulatedClock, reply: @escaping (Call) -> Reply = { _ in Reply(200) }) {
        self.clock = clock
        self.reply = reply
    }

    package func start(_ request: HTTPRequest, id: UInt64) {
        guard self.isAlive() else { return }
        let call = Call(request, at: self.clock.now.monotonic)
        // A second call may begin before an answer that came together with the first one's has been looked at.
        if let gate = self.gates[call.endpoint], call.at < gate.until,
            !(call.isFollowUp && call.at == gate.at)
        {
            self.violations.append("\(call) began before Retry-After had passed")
        }
        if let until = self.pauses.removeValue(forKey: call.record), call.at < until, self.mayJudgePauses,
            !self.clock.hasBeenStepped
        {
            self.violations.append(
                "\(call) began \(until - call.at) ns before its own Retry-After had passed"
            )
        }
        if self.inFlight[id] != nil { self.violations.append("two calls under one id") }
        self.judge(call)
        self.calls.append(call)
        self.inFlight[id] = call
        self.mostInFlight = max(self.mostInFlight, self.inFlight.count)
        let reply = self.reply(call)
        self.bytesInHand += call.bytes + Self.bytes(of: reply.result)
        self.mostBytesInHand = max(self.mostBytesInHand, self.bytesInHand)
        self.completions.add((id, reply.result), due: call.at + reply.latency.wholeNanoseconds)
    }

    package func serve(_ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void) -> Bool {
        for _ in 0..<4 {
            guard let (id, result) = self.completions.popDue(at: self.clock.now.monotonic) else {
                return false
            }
            let call = self.inFlight.removeValue(forKey: id)
            let isOrphan = self.orphans.remove(id) != nil
            self.bytesInHand -= (call?.bytes ?? 0) + Self.bytes(of: result)
            if !isOrphan, let call, case .success(let response) = result, response.status == 429,
                let seconds = response.header("retry-after").flatMap(Int64.init)
            {
                // Nobody waits longer than that before asking again.
                let pause = min(seconds, 300) * 1_000_000_000
                let now = self.clock.now.monotonic
                let earlier = self.gates[call.endpoint]?.until ?? .min
                self.gates[call.endpoint] = Gate(until: max(earlier, now + pause), at: now)
            }
            if !isOrphan, let call, case .success(let response) = result, response.status == 409,
                let seconds = response.header("retry-after").flatMap(Int64.init)
            {
                self.pauses[call.record] = self.clock.now.monotonic + seconds * 1_000_000_000
            }
            completed(id, result)
        }
        return true
    }

    private static func bytes(of result: Result<HTTPResponse, TransferError>) -> Int {
        guard case .success(let response) = result else { return 0 }
        return response.body.count
    }

    package var nextDeadline: Duration? {
        self.completions.nextDue.map { .nanoseconds(max(0, $0 - self.clock.now.monotonic)) }
    }

    /// Everything in flight belongs to nobody from now on.
    package func orphanEverything() {
        self.orphans = Set(self.inFlight.keys)
        // Whoever gets these partitions does not know what they were told.
        self.pauses = [:]
    }

    /// The calls in flight that somebody waits for.
    package var awaited: [Call] { self.inFlight.filter { !self.orphans.contains($0.key) }.map(\.value) }

    /// When the calls for one record began, in seconds of the simulation.
    package func starts(of offset: Int64, in partition: Int32 = 0) -> [Double] {
        self.calls.filter { $0.offset == offset && $0.partition == partition }.map { Double($0.at) / 1e9 }
    }
}

extension SimulatedUpstream.Call: CustomStringConvertible {
    package var description: String {
        "the \(self.isFollowUp ? "second call" : "call") for \(self.record), \(self.value), to \(self.endpoint)"
    }

    /// Bytes of its body.
    var bytes: Int { self.value.utf8.count }

    /// Names the record.
    var record: String { "\(self.topic)/\(self.partition)/\(self.offset)" }

    /// What the request says of its record.
    package init(_ request: HTTPRequest, at: Int64) {
        func field(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        self.topic = field("topic") ?? ""
        self.partition = field("partition").flatMap(Int32.init) ?? -1
        self.offset = field("offset").flatMap(Int64.init) ?? -1
        self.key = field("key")
        self.lane = field("lane") ?? ""
        self.value = String(decoding: request.body ?? [], as: UTF8.self)
        self.isFollowUp = request.url.hasSuffix("/again")
        self.endpoint = request.url.hasPrefix("https://side.") ? .side : .main
        self.at = at
    }
}
