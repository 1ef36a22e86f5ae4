internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The simulated collector with its faults, shared by all connections. A mutex guards the state.
final class CollectorSite: Site {
    private struct State {
        var faults = AppleFaultDesk(seed: 1)
        var requests = 0
        var taken = 0
        var spans: [CollectorSimulator.Span] = []
        var broken: [String: Int] = [:]
    }

    let connections = Connections()
    private let spansKept: Int
    private let state = Mutex(State())
    /// The clock, in Unix milliseconds.
    private let now: @Sendable () -> Int64

    init(_ settings: CollectorSimulator.Settings, now: @escaping @Sendable () -> Int64) {
        self.spansKept = max(2, settings.spansKept)
        self.now = now
    }

    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment {
        let bytes = Array(body.readableBytesView)
        let now = self.now()
        return self.state.withLock { state in
            state.requests += 1
            let conduct: Treatment.Conduct =
                switch state.faults.strike(head.uri, now: now) {
                case .hang: .hang
                case .cutBefore, .cutAfter: .close
                case .status(let status, let after): .reply(.status(status, retryAfterSeconds: after))
                case .proxyPage: .reply(.proxyPage)
                case .answer(let reply): .reply(reply.reply)
                case .truncate, nil: .reply(self.answer(head, bytes, in: &state, now: now))
                }
            return Treatment(delayMilliseconds: state.faults.delay(), conduct: conduct)
        }
    }

    private func answer(
        _ head: HTTPRequestHead,
        _ body: [UInt8],
        in state: inout State,
        now: Int64
    ) -> Reply {
        do {
            guard head.uri == "/v1/traces", head.method == .POST else {
                throw OTLPJudge.Broken(rule: "the request is no POST of /v1/traces")
            }
            guard head.headers.first(name: "content-type") == "application/json" else {
                throw OTLPJudge.Broken(rule: "the content type is not application/json")
            }
            let spans = try OTLPJudge(now: now).spans(in: body)
            state.taken += spans.count
            state.spans += spans
            if state.spans.count > self.spansKept { state.spans.removeFirst(state.spans.count / 2) }
            return Reply(contentType: "application/json", body: ByteBuffer(string: "{}"))
        } catch {
            let rule = (error as? OTLPJudge.Broken)?.rule ?? "\(error)"
            state.broken[rule, default: 0] += 1
            return .status(400, retryAfterSeconds: nil)
        }
    }

    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer {
        switch (method, uri) {
        case ("GET", "/healthz"): return ControlDesk.healthy
        case ("GET", "/control/stats"): return ControlDesk.json(self.stats)
        case ("GET", "/control/spans"): return ControlDesk.json(self.spans)
        case ("POST", "/control/faults"): return await ControlDesk.faults(body, listener) { self.set($0) }
        default: return ControlDesk.refusal(404, "no such endpoint")
        }
    }

    func set(_ faults: AppleFaults) {
        let now = self.now()
        self.state.withLock { $0.faults.set(faults, now: now) }
    }

    var spans: [CollectorSimulator.Span] { self.state.withLock { $0.spans } }

    var stats: CollectorSimulator.Stats {
        let (connections, _) = self.connections.counts
        return self.state.withLock {
            CollectorSimulator.Stats(
                requests: $0.requests,
                spans: $0.taken,
                broken: $0.broken,
                connections: connections
            )
        }
    }
}
