import Records
import ServiceKit
package import UpstreamHTTP
import WorkerKit

/// An upstream whose answers and delays the simulation chooses. It also judges whether the worker may make
/// each call at that time.
package final class SimulatedUpstream: Upstream {
    /// An answer of the upstream, and the time until it arrives.
    package struct Reply {
        /// The answer, or the error of the connection.
        package var result: Result<HTTPResponse, TransferError>
        /// The time from the beginning of the call until the result arrives.
        package var latency: Duration

        /// Makes an answer with a status code.
        ///
        /// - Parameter seconds: the value of `Retry-After`; nil for none.
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

        /// Makes a call end by its timeout, without an answer.
        package static func timeout(after latency: Duration = .seconds(5)) -> Reply {
            .failure(.timeout, mayHaveBeenSent: true, after: latency)
        }

        /// Makes a call end with an error of the connection.
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

    /// One call, as its request describes it.
    package struct Call: Hashable {
        /// The topic, partition and offset from which the record was read.
        package var topic: String
        package var partition: Int32
        package var offset: Int64
        package var key: String?
        /// The lane of the call, one for each configuration of an account.
        package var lane: String
        /// The value of the record, which is the body of the call.
        package var value: String
        /// Whether an earlier call for the record has led to this one.
        package var isFollowUp: Bool
        package var endpoint: SimulatedHandler.Endpoint
        /// The time at which the call began, in monotonic nanoseconds.
        package var at: Int64
        /// The request as it was sent; where records share it, the part of this one.
        package var request: HTTPRequest

        /// The name of the record that the call is for.
        package var name: RecordName { RecordName(partition: self.partition, offset: self.offset) }

        /// The header that marks the second and every further call of a record, for handlers whose URLs are not
        /// the simulation's own.
        package static let followUpHeader = "follow-up"

        /// Whether the call shares its request with others. It began for the engine when it was handed to the
        /// batch, and it is sent some time later.
        var isJoined: Bool { self.request.headers.contains { $0.name == SimulatedBatch.header } }
    }

    private struct Gate {
        var until: Int64
        /// The time at which the gate was last set.
        var at: Int64
    }

    /// The clock of the simulation.
    package let clock: SimulatedClock
    /// Makes the answer to each call.
    package var reply: (Call) -> Reply
    /// All calls so far, in the order of their beginnings.
    package private(set) var calls: [Call] = []
    /// The calls without a result yet, by the ids of their requests.
    package private(set) var inFlight: [UInt64: [Call]] = [:]
    /// The number of these calls.
    package private(set) var callsInFlight = 0
    /// The bytes of the requests in flight and of their answers. An answer arrives at once and is passed on
    /// later.
    package private(set) var bytesInHand = 0
    /// The largest value of `bytesInHand` so far.
    package private(set) var mostBytesInHand = 0
    /// The largest number of calls in flight so far.
    package private(set) var mostInFlight = 0
    /// The ids of calls whose partitions were given up while they were in flight.
    private var orphans: Set<UInt64> = []
    private var completions = DueQueue<(UInt64, Result<HTTPResponse, TransferError>)>()
    /// The time before which no further call for a record may begin, because its `Retry-After` said so.
    private var pauses: [String: Int64] = [:]
    /// Whether calls within a record's pause are violations. They are not where a record can have two copies
    /// of which only one was told to wait.
    var mayJudgePauses = true
    /// Whether a status 429 is about the record of a call alone, and not about its lane.
    var waitsAlone: (Call) -> Bool = { _ in false }
    /// The time before which no call to an endpoint may begin, because its `Retry-After` said so. Calls that
    /// share requests have one for each lane.
    private var gates: [String: Gate] = [:]
    /// The records whose calls were in a request that was refused for some of them. They are sent again at
    /// once, in smaller requests.
    private var split: Set<String> = []
    /// The ids of requests that a handler under test has written itself for several records.
    private var shared: Set<UInt64> = []
    /// Returns whether the process is still alive to make a call.
    var isAlive: () -> Bool = { true }
    /// Called for each call that begins.
    package var judge: (Call) -> Void = { _ in }
    /// A description of each broken promise.
    package private(set) var violations: [String] = []

    /// Makes an upstream.
    ///
    /// - Parameter reply: makes the answer to each call; status 200 by default.
    package init(_ clock: SimulatedClock, reply: @escaping (Call) -> Reply = { _ in Reply(200) }) {
        self.clock = clock
        self.reply = reply
    }

    /// Begins the calls of a request, and checks that each may begin now.
    package func start(_ request: HTTPRequest, id: UInt64) {
        guard self.isAlive() else { return }
        if self.inFlight[id] != nil { self.violations.append("two calls under one id") }
        let now = self.clock.now.monotonic
        let calls = SharedRequest.calls(in: request, at: now)
        self.inFlight[id] = []
        for call in calls {
            self.judgePauses(call)
            self.judge(call)
            self.calls.append(call)
            self.inFlight[id]?.append(call)
            self.callsInFlight += 1
        }
        self.mostInFlight = max(self.mostInFlight, self.callsInFlight)
        let reply = self.reply(to: calls, in: request)
        if SharedRequest.isMarked(request), calls.count > 1 { self.shared.insert(id) }
        self.bytesInHand += Self.bytes(of: calls, reply.result)
        self.mostBytesInHand = max(self.mostBytesInHand, self.bytesInHand)
        self.completions.add((id, reply.result), due: now + reply.latency.wholeNanoseconds)
    }

    /// Ends a request before its answer.
    package func cutShort(_ id: UInt64) {
        guard self.inFlight[id] != nil else { return }
        self.completions.keep { $0.0 != id }
        let end = TransferError(kind: .timeout, mayHaveBeenSent: true, message: "cut short")
        self.completions.add((id, .failure(end)), due: self.clock.now.monotonic)
    }

    /// Returns the answer to a request. One that a handler under test has written itself is answered as a whole.
    private func reply(to calls: [Call], in request: HTTPRequest) -> Reply {
        guard SharedRequest.isMarked(request), var whole = calls.first else {
            return Reply.joined(calls.map(self.reply))
        }
        whole.request = request
        return self.reply(whole)
    }

    /// Checks a call that begins against what `Retry-After` has said.
    private func judgePauses(_ call: Call) {
        let isHalf = self.split.remove(call.record) != nil
        // A follow-up call may begin although an answer with `Retry-After` has arrived at the same instant,
        // since the engine may not have looked at that answer yet.
        if !self.waitsAlone(call), let gate = self.gates[call.gate], call.at < gate.until, !isHalf,
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
    }

    /// Passes on at most four results that are due. Returns whether there may be more.
    package func serve(_ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void) -> Bool {
        for _ in 0..<4 {
            guard let (id, result) = self.completions.popDue(at: self.clock.now.monotonic) else {
                return false
            }
            let calls = self.inFlight.removeValue(forKey: id) ?? []
            self.callsInFlight -= calls.count
            self.bytesInHand -= Self.bytes(of: calls, result)
            let isShared = self.shared.remove(id) != nil
            if self.orphans.remove(id) == nil, case .success(let response) = result {
                // Such an upstream tells in the body of a 200 whether it has refused the request.
                if isShared, response.status == 200 { self.split.formUnion(calls.map(\.record)) }
                for call in calls { self.note(response, to: call) }
            }
            completed(id, result)
        }
        return true
    }

    /// Notes until when an answer forbids further calls.
    private func note(_ response: HTTPResponse, to call: Call) {
        if response.status == SimulatedBatch.refusal { self.split.insert(call.record) }
        guard let seconds = response.header("retry-after").flatMap(Int64.init) else { return }
        let now = self.clock.now.monotonic
        if response.status == 429 {
            // The engine waits at most this long before it asks again.
            let pause = min(seconds, 300) * 1_000_000_000
            if self.waitsAlone(call) { self.pauses[call.record] = now + pause }
            for name in self.waitsAlone(call) ? [] : call.gates {
                self.gates[name] = Gate(until: max(self.gates[name]?.until ?? .min, now + pause), at: now)
            }
        }
        if response.status == 409 { self.pauses[call.record] = now + seconds * 1_000_000_000 }
    }

    private static func bytes(of calls: [Call], _ result: Result<HTTPResponse, TransferError>) -> Int {
        let sent = calls.reduce(0) { $0 + $1.bytes }
        guard case .success(let response) = result else { return sent }
        return sent + response.body.count
    }

    /// The time until the next result is due; nil if no call is in flight.
    package var nextDeadline: Duration? {
        self.completions.nextDue.map { .nanoseconds(max(0, $0 - self.clock.now.monotonic)) }
    }

    /// Marks all calls in flight as belonging to no worker.
    package func orphanEverything() {
        self.orphans = Set(self.inFlight.keys)
        // The next owner of these partitions does not know how long the records were told to wait.
        self.pauses = [:]
        self.split = []
    }

    /// The calls in flight whose worker still waits for them.
    package var awaited: [Call] { self.inFlight.filter { !self.orphans.contains($0.key) }.flatMap(\.value) }

    /// Returns the times at which the calls for one record began, in seconds of the simulated clock.
    package func starts(of offset: Int64, in partition: Int32 = 0) -> [Double] {
        self.calls.filter { $0.offset == offset && $0.partition == partition }.map { Double($0.at) / 1e9 }
    }
}

extension SimulatedUpstream.Call: CustomStringConvertible {
    package var description: String {
        "the \(self.isFollowUp ? "second call" : "call") for \(self.record), \(self.value), to \(self.endpoint)"
    }

    /// The name of the gate that holds this call back.
    fileprivate var gate: String { self.isJoined ? "\(self.endpoint) \(self.lane)" : "\(self.endpoint)" }

    /// The names of the gates that an answer with `Retry-After` sets.
    fileprivate var gates: Set<String> { [self.gate, "\(self.endpoint)"] }

    /// The length of the call's body in bytes.
    var bytes: Int { self.value.utf8.count }

    /// The place of the record, as `topic/partition/offset`.
    var record: String { "\(self.topic)/\(self.partition)/\(self.offset)" }

    /// Reads the call's properties from its request.
    package init(_ request: HTTPRequest, at: Int64) {
        func field(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        self.topic = field("topic") ?? ""
        self.partition = field("partition").flatMap(Int32.init) ?? -1
        self.offset = field("offset").flatMap(Int64.init) ?? -1
        self.key = field("key")
        self.lane = field("lane") ?? ""
        self.value = String(decoding: request.body ?? [], as: UTF8.self)
        self.isFollowUp = request.url.hasSuffix("/again") || field(Self.followUpHeader) != nil
        self.endpoint = request.url.hasPrefix("https://side.") ? .side : .main
        self.at = at
        self.request = request
    }
}
