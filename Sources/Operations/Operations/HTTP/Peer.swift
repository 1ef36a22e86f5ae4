import Hummingbird
import Logging
package import NIOCore

/// The other end of a connection.
package struct Peer: Sendable {
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// The address of the client, or of the proxy before this server; nil if the connection is gone.
    package var address: SocketAddress? { self.channel.remoteAddress }

    /// Runs a body that must end in time, such as the reading of what the peer sends. At the limit the
    /// connection is closed, and the reading fails.
    package func within<Result>(
        _ limit: Duration,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let end = self.closes(after: limit)
        defer { end.cancel() }
        return try await body()
    }

    /// Closes the connection after this time, whatever it is doing then.
    @discardableResult
    package func closes(after time: Duration) -> Scheduled<Void> {
        self.channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel] in
            channel.close(promise: nil)
        }
    }
}

/// The context of a request with the peer that sent it.
struct PeerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: Peer

    init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.peer = Peer(source.channel)
    }
}
