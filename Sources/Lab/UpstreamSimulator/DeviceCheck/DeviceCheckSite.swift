internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The simulated DeviceCheck API with its faults, shared by all connections. A mutex guards the state.
final class DeviceCheckSite: Site {
    private struct State {
        var api: DeviceCheckState
        var faults: AppleFaultDesk
    }

    let connections = Connections()
    private let state: Mutex<State>
    /// The clock, in Unix milliseconds.
    private let now: @Sendable () -> Int64

    init(_ settings: DeviceCheckSimulator.Settings, now: @escaping @Sendable () -> Int64) {
        var api = DeviceCheckState(settings.rules)
        api.set(settings.teams)
        self.state = Mutex(State(api: api, faults: AppleFaultDesk(seed: settings.seed)))
        self.now = now
    }

    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment {
        let path = String(head.uri.prefix { $0 != "?" })
        let request = DeviceCheckState.Request(
            method: head.method.rawValue,
            path: path,
            authorization: head.headers.first(name: "authorization"),
            body: Array(body.readableBytesView)
        )
        let now = self.now()
        return self.state.withLock { state in
            let strike = state.faults.strike(path, now: now)
            return Treatment(
                delayMilliseconds: state.faults.delay(),
                conduct: Self.conduct(of: strike, request, in: &state.api, now: now)
            )
        }
    }

    private static func conduct(
        of strike: AppleFaultDesk.Strike?,
        _ request: DeviceCheckState.Request,
        in api: inout DeviceCheckState,
        now: Int64
    ) -> Treatment.Conduct {
        switch strike {
        case .hang:
            api.missed(request, now: now, status: 0)
            return .hang
        case .cutBefore:
            api.missed(request, now: now, status: 0)
            return .close
        case .status(let status, let retryAfter):
            api.missed(request, now: now, status: status)
            return .reply(.status(status, retryAfterSeconds: retryAfter))
        case .proxyPage:
            api.missed(request, now: now, status: 200)
            return .reply(.proxyPage)
        case .answer(let reply):
            api.missed(request, now: now, status: reply.status)
            return .reply(Self.reply(reply))
        case .truncate:
            // An empty body has no second half that could be missing, so the connection is closed instead.
            let reply = Self.reply(api.answer(request, now: now))
            return reply.body.readableBytes == 0 ? .close : .reply(.truncated(reply))
        case .cutAfter:
            _ = api.answer(request, now: now)
            return .close
        case nil: return .reply(Self.reply(api.answer(request, now: now)))
        }
    }

    private static func reply(_ answer: AppleReply) -> Reply {
        var reply = answer.reply
        reply.headers = [("x-apple-request-uuid", UUID().uuidString.lowercased())]
        return reply
    }

    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer {
        switch (method, uri) {
        case ("GET", "/healthz"): return ControlDesk.healthy
        case ("GET", "/control/stats"): return ControlDesk.json(self.stats)
        case ("GET", "/control/bits"): return ControlDesk.json(self.devices)
        case ("GET", "/control/calls"): return ControlDesk.json(self.calls)
        case ("POST", "/control/faults"): return await ControlDesk.faults(body, listener) { self.set($0) }
        case ("POST", "/control/teams"):
            return ControlDesk.list(body) { (teams: [DeviceCheckTeam]) in self.set(teams) }
        case (_, "/healthz"), (_, "/control/stats"), (_, "/control/bits"), (_, "/control/calls"),
            (_, "/control/faults"), (_, "/control/teams"):
            return ControlDesk.refusal(405, "no such method here")
        default: return ControlDesk.refusal(404, "no such endpoint")
        }
    }

    func set(_ faults: AppleFaults) {
        let now = self.now()
        self.state.withLock { $0.faults.set(faults, now: now) }
    }

    func set(_ teams: [DeviceCheckTeam]) { self.state.withLock { $0.api.set(teams) } }

    var devices: [DeviceCheckSimulator.Device] { self.state.withLock { $0.api.devices } }

    var calls: [DeviceCheckSimulator.Call] { self.state.withLock { $0.api.calls } }

    var stats: AppleStats {
        let (connections, open) = self.connections.counts
        return self.state.withLock { state in
            AppleStats(
                requests: state.api.requests,
                accepted: state.api.accepted,
                answers: state.api.answers,
                faults: state.faults.struck,
                connections: connections,
                openConnections: open
            )
        }
    }
}
