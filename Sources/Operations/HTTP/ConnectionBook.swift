internal import NIOCore
import Synchronization

/// The open connections of a server: bounded, and never so full that nobody else can connect. Where there is no room,
/// the one that has waited the longest for its last progress makes it.
final class ConnectionBook: Sendable {
    private struct Entry {
        var channel: any Channel
        var lastProgress: NIODeadline
    }

    private let limit: Int
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// - Parameter limit: connections at once.
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

    /// Something was written to it: whoever is answered is not the slowest.
    func progressed(_ channel: any Channel) {
        self.entries.withLock { $0[ObjectIdentifier(channel)]?.lastProgress = .now() }
    }

    func closed(_ channel: any Channel) {
        self.entries.withLock { $0[ObjectIdentifier(channel)] = nil }
    }
}

/// Enters one connection in the book, and closes it if its first request has no complete header in time.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    // What passes is not looked into.
    typealias InboundIn = Never
    typealias OutboundIn = Never

    private let book: ConnectionBook
    private let headerLimit: TimeAmount
    private var headerTimer: Scheduled<Void>?

    init(_ book: ConnectionBook, headerLimit: TimeAmount) {
        self.book = book
        self.headerLimit = headerLimit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        self.book.opened(channel)
        self.headerTimer = context.eventLoop.scheduleTask(in: self.headerLimit) {
            channel.close(promise: nil)
        }
    }

    /// It stands behind the decoder, so that the first thing that arrives is a whole header.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.headerTimer?.cancel()
        self.headerTimer = nil
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.book.progressed(context.channel)
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.leave(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.leave(context) }

    private func leave(_ context: ChannelHandlerContext) {
        self.headerTimer?.cancel()
        self.headerTimer = nil
        self.book.closed(context.channel)
    }
}
