import Records
import UpstreamHTTP
import WorkerKit

/// An upstream that answers what it is told to, when it is told to; and the judge of who calls it when.
final class SimulatedUpstream: Upstream {
    struct Reply {
        var result: Result<HTTPResponse, TransferError>
        var latency: Duration

        init(_ status: Int, after latency: Duration = .milliseconds(20), retryAfter seconds: Int? = nil) {
            let headers = seconds.map { [HTTPHeader("retry-after", String($0))] } ?? []
            self.result = .success(HTTPResponse(status: status, headers: headers))
            self.latency = latency
        }

        /// No answer, but the end of a wait.
        static func timeout(after latency: Duration = .seconds(5)) -> Reply {
            var reply = Reply(0, after: latency)
            reply.result = .failure(
                TransferError(kind: .timeout, mayHaveBeenSent: true, message: "timed out")
            )
            return reply
        }
    }

    /// One call, as its request tells.
    struct Call: Hashable {
        var partition: Int32
        var offset: Int64
        var key: String?
        var lane: String
        var value: String
        var isFollowUp: Bool
        var at: Int64
    }

    let clock: SimulatedClock
    var reply: (Call) -> Reply
    private(set) var calls: [Call] = []
    private(set) var inFlight: [UInt64: Call] = [:]
    private(set) var mostInFlight = 0
    /// Calls whose partitions were given up while they were out.
    private var orphans: Set<UInt64> = []
    private var completions = DueQueue<(UInt64, Result<HTTPResponse, TransferError>)>()
    /// No call may begin before this: `Retry-After` said so.
    private var gatedUntil: Int64 = .min
    var judge: (Call) -> Void = { _ in }
    private(set) var violations: [String] = []

    init(_ clock: SimulatedClock, reply: @escaping (Call) -> Reply = { _ in Reply(200) }) {
        self.clock = clock
        self.reply = reply
    }

    func start(_ request: HTTPRequest, id: UInt64) {
        let call = Call(request, at: self.clock.now.monotonic)
        if call.at < self.gatedUntil { self.violations.append("\(call) began before Retry-After had passed") }
        if self.inFlight[id] != nil { self.violations.append("two calls under one id") }
        self.judge(call)
        self.calls.append(call)
        self.inFlight[id] = call
        self.mostInFlight = max(self.mostInFlight, self.inFlight.count)
        let reply = self.reply(call)
        self.completions.add((id, reply.result), due: call.at + reply.latency.wholeNanoseconds)
    }

    func serve(_ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void) -> Bool {
        for _ in 0..<4 {
            guard let (id, result) = self.completions.popDue(at: self.clock.now.monotonic) else {
                return false
            }
            self.inFlight[id] = nil
            let isOrphan = self.orphans.remove(id) != nil
            if !isOrphan, case .success(let response) = result, response.status == 429,
                let seconds = response.header("retry-after").flatMap(Int64.init)
            {
                // Nobody waits longer than that before asking again.
                let pause = min(seconds, 300) * 1_000_000_000
                self.gatedUntil = max(self.gatedUntil, self.clock.now.monotonic + pause)
            }
            completed(id, result)
        }
        return true
    }

    var nextDeadline: Duration? {
        self.completions.nextDue.map { .nanoseconds(max(0, $0 - self.clock.now.monotonic)) }
    }

    /// Everything in flight belongs to nobody from now on.
    func orphanEverything() { self.orphans = Set(self.inFlight.keys) }

    /// The calls in flight that somebody waits for.
    var awaited: [Call] { self.inFlight.filter { !self.orphans.contains($0.key) }.map(\.value) }

    /// When the calls for one record began, in seconds of the simulation.
    func starts(of offset: Int64, in partition: Int32 = 0) -> [Double] {
        self.calls.filter { $0.offset == offset && $0.partition == partition }.map { Double($0.at) / 1e9 }
    }
}

extension SimulatedUpstream.Call {
    /// What the request says of its record.
    init(_ request: HTTPRequest, at: Int64) {
        func field(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        self.partition = field("partition").flatMap(Int32.init) ?? -1
        self.offset = field("offset").flatMap(Int64.init) ?? -1
        self.key = field("key")
        self.lane = field("lane") ?? ""
        self.value = String(decoding: request.body ?? [], as: UTF8.self)
        self.isFollowUp = request.url.hasSuffix("/again")
        self.at = at
    }
}
