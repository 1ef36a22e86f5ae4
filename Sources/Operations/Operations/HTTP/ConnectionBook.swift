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
        var ranks: ConnectionRanks<ObjectIdentifier, Home>
    }

    private let limit: Int
    private let isProxy: @Sendable (SocketAddress) -> Bool
    let noted: @Sendable (ConnectionEvent) -> Void
    private let entries: Mutex<Entries>

    /// Makes a book without connections.
    ///
    /// - Parameter limit: the largest number of open connections.
    ///   - isProxy: Whether a peer asks for many clients, so that its connections are not those of one.
    ///   - noted: Is told of each event. It must not block.
    init(
        limit: Int,
        isProxy: @escaping @Sendable (SocketAddress) -> Bool,
        noted: @escaping @Sendable (ConnectionEvent) -> Void
    ) {
        self.limit = limit
        self.isProxy = isProxy
        self.noted = noted
        self.entries = Mutex(Entries(ranks: ConnectionRanks(limit: limit)))
    }

    func opened(_ channel: any Channel) {
        let address = channel.remoteAddress
        let home =
            address.map(self.isProxy) == true
            ? Home.itself(ObjectIdentifier(channel)) : .network(address?.clientNetwork ?? [])
        let excess = self.entries.withLock { entries -> (any Channel)? in
            entries.channels[ObjectIdentifier(channel)] = channel
            let now = ContinuousClock.now
            entries.ranks.opened(ObjectIdentifier(channel), from: home, at: now)
            // The new connection counts, so that a client with many is ahead of all others.
            guard entries.ranks.count > self.limit, let first = entries.ranks.first(at: now) else {
                return nil
            }
            entries.ranks.closed(first)
            return entries.channels.removeValue(forKey: first)
        }
        self.noted(.opened)
        if let excess {
            self.noted(.closed(.crowd))
            excess.close(promise: nil)
        }
    }

    /// Notes that many bytes have come on a connection, or that an answer was written to it.
    func progressed(_ channel: any Channel) {
        self.entries.withLock { $0.ranks.progressed(ObjectIdentifier(channel), at: .now) }
    }

    /// Notes that a request has come whole and waits for its answer.
    func waits(_ channel: any Channel) {
        self.entries.withLock { $0.ranks.waits(ObjectIdentifier(channel)) }
    }

    func ended(_ channel: any Channel) {
        self.entries.withLock { entries in
            entries.channels[ObjectIdentifier(channel)] = nil
            entries.ranks.closed(ObjectIdentifier(channel))
        }
        self.noted(.ended)
    }
}

/// Enters one connection into the book, and closes it if the header of its first request is not complete in time
/// or a shutdown takes too long.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    // This handler passes all data on without looking at it.
    typealias InboundIn = Never
    typealias OutboundIn = Never

    let book: ConnectionBook
    private let headerLimit: TimeAmount
    private let drainLimit: TimeAmount
    private var headerTimer: Scheduled<Void>?
    private var drainTimer: Scheduled<Void>?
    private var hasLeft = false

    init(_ book: ConnectionBook, headerLimit: TimeAmount, drainLimit: TimeAmount) {
        self.book = book
        self.headerLimit = headerLimit
        self.drainLimit = drainLimit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (channel, book) = (context.channel, self.book)
        book.opened(channel)
        do {
            let pipeline = context.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(LastAnswer(book), position: .after(decoder.handler))
        } catch {
            // Without it the memory of the connection has no bound.
            return channel.close(promise: nil)
        }
        self.headerTimer = context.eventLoop.scheduleTask(in: self.headerLimit) {
            book.noted(.closed(.headerTime))
            channel.close(promise: nil)
        }
    }

    /// Passes data on. The handler stands behind the decoder, so the first data that arrives is a complete
    /// header.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.stopHeaderTimer()
        context.fireChannelRead(data)
    }

    private func stopHeaderTimer() {
        self.headerTimer?.cancel()
        self.headerTimer = nil
    }

    func flush(context: ChannelHandlerContext) {
        self.book.progressed(context.channel)
        context.flush()
    }

    /// Bounds the time that a connection has for its last answer. A client that does not read its answers
    /// would otherwise hold up the shutdown of the server for ever.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is LastAnswer.HeaderRefused { return self.stopHeaderTimer() }
        if event is ChannelShouldQuiesceEvent {
            let (channel, book) = (context.channel, self.book)
            self.drainTimer = context.eventLoop.scheduleTask(in: self.drainLimit) {
                book.noted(.closed(.drain))
                channel.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.leave(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.leave(context) }

    private func leave(_ context: ChannelHandlerContext) {
        guard !self.hasLeft else { return }
        self.hasLeft = true
        self.stopHeaderTimer()
        self.drainTimer?.cancel()
        self.drainTimer = nil
        self.book.ended(context.channel)
    }
}
