internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The simulated store with its faults, shared by all connections. A mutex guards the state.
final class StoreSite: Site {
    private struct State {
        var store = StoreState()
        var faults: AppleFaultDesk
    }

    let connections = Connections()
    private let state: Mutex<State>
    /// The clock, in Unix milliseconds.
    private let now: @Sendable () -> Int64

    init(_ settings: StoreSimulator.Settings, now: @escaping @Sendable () -> Int64) {
        var state = State(faults: AppleFaultDesk(seed: settings.seed))
        state.store.set(settings.apps)
        state.store.set(settings.purchases)
        self.state = Mutex(state)
        self.now = now
    }

    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment {
        let request = StoreState.Request(
            method: head.method.rawValue,
            target: head.uri,
            authorization: head.headers.first(name: "authorization"),
            body: Array(body.readableBytesView)
        )
        let now = self.now()
        return self.state.withLock { state in
            let strike = state.faults.strike(String(head.uri.prefix { $0 != "?" }), now: now)
            return Treatment(
                delayMilliseconds: state.faults.delay(),
                conduct: Self.conduct(of: strike, request, in: &state.store, now: now)
            )
        }
    }

    private static func conduct(
        of strike: AppleFaultDesk.Strike?,
        _ request: StoreState.Request,
        in store: inout StoreState,
        now: Int64
    ) -> Treatment.Conduct {
        switch strike {
        case .hang:
            store.note(request, now, status: 0)
            return .hang
        case .cutBefore:
            store.note(request, now, status: 0)
            return .close
        case .status(let status, let seconds):
            store.note(request, now, status: status)
            // With status 429, the App Store Server API sends a time in Unix milliseconds in Retry-After.
            // HTTP in general sends the seconds to wait.
            let isServerAPI = request.target.contains("/inApps/")
            let after = seconds.map { isServerAPI && status == 429 ? Int(now) + $0 * 1_000 : $0 }
            return .reply(.status(status, retryAfterSeconds: after))
        case .proxyPage:
            store.note(request, now, status: 200)
            return .reply(.proxyPage)
        case .answer(let reply):
            store.note(request, now, status: reply.status)
            return .reply(reply.reply)
        case .truncate: return .reply(.truncated(store.answer(request, now: now).reply))
        case .cutAfter:
            _ = store.answer(request, now: now)
            return .close
        case nil: return .reply(store.answer(request, now: now).reply)
        }
    }

    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer {
        switch (method, uri) {
        case ("GET", "/healthz"): return ControlDesk.healthy
        case ("GET", "/control/stats"): return ControlDesk.json(self.stats)
        case ("GET", "/control/calls"): return ControlDesk.json(self.calls)
        case ("POST", "/control/faults"): return await ControlDesk.faults(body, listener) { self.set($0) }
        case ("POST", "/control/apps"):
            return ControlDesk.list(body) { (apps: [SimulatedApp]) in self.set(apps) }
        case ("POST", "/control/purchases"):
            return ControlDesk.list(body) { (purchases: [SimulatedPurchase]) in self.set(purchases) }
        case (_, "/healthz"), (_, "/control/stats"), (_, "/control/calls"), (_, "/control/faults"),
            (_, "/control/apps"), (_, "/control/purchases"):
            return ControlDesk.refusal(405, "no such method here")
        default: return ControlDesk.refusal(404, "no such endpoint")
        }
    }

    func set(_ faults: AppleFaults) {
        let now = self.now()
        self.state.withLock { $0.faults.set(faults, now: now) }
    }

    func set(_ apps: [SimulatedApp]) { self.state.withLock { $0.store.set(apps) } }

    func set(_ purchases: [SimulatedPurchase]) { self.state.withLock { $0.store.set(purchases) } }

    var calls: [StoreSimulator.Call] { self.state.withLock { $0.store.calls } }

    var stats: AppleStats {
        let (connections, open) = self.connections.counts
        return self.state.withLock { state in
            AppleStats(
                requests: state.store.requests,
                accepted: state.store.accepted,
                answers: state.store.answers,
                faults: state.faults.struck,
                connections: connections,
                openConnections: open
            )
        }
    }
}
