internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The simulated Marketing API with its faults, shared by all connections. A mutex guards the state.
final class MarketingSite: Site {
    private struct State {
        var api: MarketingState
        var faults: AppleFaultDesk
    }

    let connections = Connections()
    private let state: Mutex<State>
    /// The clock, in Unix milliseconds.
    private let now: @Sendable () -> Int64

    init(_ settings: MarketingSimulator.Settings, now: @escaping @Sendable () -> Int64) {
        self.state = Mutex(State(api: MarketingState(settings), faults: AppleFaultDesk(seed: settings.seed)))
        self.now = now
    }

    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment {
        let request = MarketingState.Request(
            method: head.method.rawValue,
            uri: head.uri,
            headers: Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { first, _ in first }
            ),
            body: Array(body.readableBytesView)
        )
        let now = self.now()
        return self.state.withLock { state in
            let strike = state.faults.strike(request.path, now: now)
            state.api.arrived(request)
            return Treatment(
                delayMilliseconds: state.faults.delay(),
                conduct: Self.conduct(of: strike, request, in: &state.api, now: now)
            )
        }
    }

    private static func conduct(
        of strike: AppleFaultDesk.Strike?,
        _ request: MarketingState.Request,
        in api: inout MarketingState,
        now: Int64
    ) -> Treatment.Conduct {
        switch strike {
        case .hang: return .hang
        case .cutBefore: return .close
        case .status(let status, let retryAfter):
            return .reply(.status(status, retryAfterSeconds: retryAfter))
        case .proxyPage: return .reply(.proxyPage)
        case .answer(let reply): return .reply(reply.reply)
        case .truncate: return .reply(.truncated(api.answer(request, now: now).reply))
        case .cutAfter:
            _ = api.answer(request, now: now)
            return .close
        case nil: return .reply(api.answer(request, now: now).reply)
        }
    }

    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer {
        switch (method, uri) {
        case ("GET", "/healthz"): return ControlDesk.healthy
        case ("GET", "/control/stats"): return ControlDesk.json(self.stats)
        case ("GET", "/control/conversions"): return ControlDesk.json(self.conversions)
        case ("POST", "/control/faults"): return await ControlDesk.faults(body, listener) { self.set($0) }
        case ("POST", "/control/accounts"):
            return ControlDesk.list(body) { (accounts: [MarketingSimulator.Account]) in
                self.state.withLock { $0.api.set(accounts) }
            }
        case (_, "/healthz"), (_, "/control/stats"), (_, "/control/conversions"), (_, "/control/faults"),
            (_, "/control/accounts"):
            return ControlDesk.refusal(405, "no such method here")
        default: return ControlDesk.refusal(404, "no such endpoint")
        }
    }

    func set(_ faults: AppleFaults) {
        let now = self.now()
        self.state.withLock { $0.faults.set(faults, now: now) }
    }

    func expire(_ token: String) {
        let now = self.now()
        self.state.withLock { $0.api.expire(token, now: now) }
    }

    var conversions: [MarketingSimulator.Conversion] { self.state.withLock { $0.api.conversions } }

    var uris: [String] { self.state.withLock { $0.api.uris } }

    var stats: MarketingSimulator.Stats {
        let (connections, open) = self.connections.counts
        return self.state.withLock { state in
            let ledger = state.api.ledger
            return MarketingSimulator.Stats(
                requests: ledger.requests,
                actions: ledger.actions,
                conversions: state.api.conversionCount,
                codes: ledger.codes,
                repeatedNonces: ledger.repeatedNonces,
                largestBatch: ledger.largestBatch,
                renewals: ledger.renewals,
                faults: state.faults.struck,
                connections: connections,
                openConnections: open
            )
        }
    }
}
