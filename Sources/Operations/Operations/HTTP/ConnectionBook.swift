internal import NIOCore
import NIOHTTP1
import Synchronization

/// The open connections of a server. Their number is limited, but a new client can always connect: if the
/// limit is reached, the connection whose last progress is the oldest is closed.
final class ConnectionBook: Sendable {
    private struct Entry {
        var channel: any Channel
        var lastProgress: NIODeadline
    }

    private let limit: Int
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Makes a book without connections.
    ///
    /// - Parameter limit: the largest number of open connections.
    init(limit: Int) { self.limit = limit }

    func opened(_ channel: any Channel) {
        let slowest = self.entries.withLock { entries -> (any Channel)? in
            let slowest =
                entries.count < self.limit
                ? nil : entries.min { $0.value.lastProgress < $1.value.lastProgress }
            if let slowest { entries[slowest.key] = nil }
            entries[ObjectIdentifier(channel)] = Entry(channel: channel, lastProgress: .now())
            return slowest?.value.channel
        }
        slowest?.close(promise: nil)
    }

    /// Notes that something was written to a connection. A connection that is being answered is then not the
    /// slowest.
    func progressed(_ channel: any Channel) {
        self.entries.withLock { $0[ObjectIdentifier(channel)]?.lastProgress = .now() }
    }

    func closed(_ channel: any Channel) {
        self.entries.withLock { $0[ObjectIdentifier(channel)] = nil }
    }
}

/// Enters one connection into the book, closes it if the header of its first request is not complete in time
/// or a shutdown takes too long, and refuses a header that is too large.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    // This handler passes all data on without looking at it.
    typealias InboundIn = Never
    typealias OutboundIn = Never

    private let book: ConnectionBook
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

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.book.progressed(context.channel)
        context.write(data, promise: promise)
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
