internal import NIOCore
import NIOHTTP1
import Synchronization

/// The open connections of a server. Their number is limited, but a new client can always connect: if there
/// are too many, the one that `ConnectionRanks` names is closed.
final class ConnectionBook: Sendable {
    /// The connections that are counted together.
    private enum Home: Hashable {
        case network([UInt8])
        /// The connection alone: its peer asks for many clients.
        case itself(ObjectIdentifier)
    }

    private struct Entries {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var ranks = ConnectionRanks<ObjectIdentifier, Home>()
    }

    private let limit: Int
    private let isProxy: @Sendable (SocketAddress) -> Bool
    private let entries = Mutex(Entries())

    /// Makes a book without connections.
    ///
    /// - Parameter limit: the largest number of open connections.
    ///   - isProxy: Whether a peer asks for many clients, so that its connections are not those of one.
    init(limit: Int, isProxy: @escaping @Sendable (SocketAddress) -> Bool) {
        self.limit = limit
        self.isProxy = isProxy
    }

    func opened(_ channel: any Channel) {
        let address = channel.remoteAddress
        let home =
            address.map(self.isProxy) == true
            ? Home.itself(ObjectIdentifier(channel)) : .network(address?.clientNetwork ?? [])
        let excess = self.entries.withLock { entries -> (any Channel)? in
            entries.channels[ObjectIdentifier(channel)] = channel
            entries.ranks.opened(ObjectIdentifier(channel), from: home)
            // The new connection counts, so that a client with many is ahead of all others.
            guard entries.ranks.count > self.limit, let first = entries.ranks.first else { return nil }
            entries.ranks.closed(first)
            return entries.channels.removeValue(forKey: first)
        }
        excess?.close(promise: nil)
    }

    /// Notes that many bytes have come on a connection, or that an answer was written to it.
    func progressed(_ channel: any Channel) {
        self.entries.withLock { $0.ranks.progressed(ObjectIdentifier(channel)) }
    }

    func closed(_ channel: any Channel) {
        self.entries.withLock { entries in
            entries.channels[ObjectIdentifier(channel)] = nil
            entries.ranks.closed(ObjectIdentifier(channel))
        }
    }
}

/// Enters one connection into the book, closes it if the header of its first request is not complete in time
/// or a shutdown takes too long, and refuses a header that is too large.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    // This handler passes all data on without looking at it.
    typealias InboundIn = Never
    typealias OutboundIn = Never

    let book: ConnectionBook
    private let headerLimit: TimeAmount
    private let drainLimit: TimeAmount
    private var headerTimer: Scheduled<Void>?
    private var drainTimer: Scheduled<Void>?

    init(_ book: ConnectionBook, headerLimit: TimeAmount, drainLimit: TimeAmount) {
        self.book = book
        self.headerLimit = headerLimit
        self.drainLimit = drainLimit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        self.book.opened(channel)
        self.headerTimer = context.eventLoop.scheduleTask(in: self.headerLimit) {
            channel.close(promise: nil)
        }
    }

    /// Passes data on. The handler stands behind the decoder, so the first data that arrives is a complete
    /// header.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.headerTimer?.cancel()
        self.headerTimer = nil
        context.fireChannelRead(data)
    }

    func flush(context: ChannelHandlerContext) {
        self.book.progressed(context.channel)
        context.flush()
    }

    /// Bounds the time that a connection has for its last answer. A client that does not read its answers
    /// would otherwise hold up the shutdown of the server for ever.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            let channel = context.channel
            self.drainTimer = context.eventLoop.scheduleTask(in: self.drainLimit) {
                channel.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Answers a header beyond the limits with 431, and closes the connection. All other errors go on.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case HTTPParserError.headerOverflow? = error as? HTTPParserError,
            let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        else { return context.fireErrorCaught(error) }
        let channel = context.channel
        // The encoder itself takes only parts of a response, so these bytes go out behind it.
        encoder.writeAndFlush(NIOAny(channel.allocator.buffer(string: Self.headerTooLarge)))
            .whenComplete { _ in channel.close(promise: nil) }
    }

    private static let headerTooLarge =
        "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

    func channelInactive(context: ChannelHandlerContext) {
        self.leave(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.leave(context) }

    private func leave(_ context: ChannelHandlerContext) {
        self.headerTimer?.cancel()
        self.headerTimer = nil
        self.drainTimer?.cancel()
        self.drainTimer = nil
        self.book.closed(context.channel)
    }
}
