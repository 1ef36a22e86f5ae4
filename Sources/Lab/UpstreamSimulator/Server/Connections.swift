internal import Glibc
internal import NIOCore
internal import Synchronization

/// The open connections of a simulator. An outage and the end of the simulator close them.
final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var total = 0
        var isShut = false
    }

    private let state = Mutex(State())

    /// Registers a new connection. During an outage it is reset instead.
    func opened(_ channel: any Channel) {
        let isShut = self.state.withLock { state in
            if !state.isShut {
                state.open[ObjectIdentifier(channel)] = channel
                state.total += 1
            }
            return state.isShut
        }
        if isShut {
            Self.reset(channel)
        }
    }

    func closed(_ channel: any Channel) {
        self.state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
    }

    /// Resets every open connection, and every new one until `readmit` is called.
    func shut() {
        let channels = self.state.withLock { state in
            state.isShut = true
            return Array(state.open.values)
        }
        for channel in channels {
            Self.reset(channel)
        }
    }

    /// Accepts new connections again.
    func readmit() {
        self.state.withLock { $0.isShut = false }
    }

    /// The number of connections since the start, and of those that are open now. Connections that were made
    /// during an outage are not counted.
    var counts: (total: Int, open: Int) {
        self.state.withLock { ($0.total, $0.open.count) }
    }

    /// Closes a connection with a TCP reset: with SO_LINGER set to zero, `close` sends RST.
    private static func reset(_ channel: any Channel) {
        guard let options = channel as? any SocketOptionProvider else {
            channel.close(promise: nil)
            return
        }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
