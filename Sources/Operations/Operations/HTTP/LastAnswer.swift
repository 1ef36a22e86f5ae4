internal import NIOCore
import NIOHTTP1

/// Ends a connection behind an answer that no other can follow: the one to a request that asks for another protocol, the
/// one to a header beyond the limits, and the last one of a client that does not wait for its answers. It stands directly
/// behind the decoder.
///
/// No protocol but HTTP/1.1 is spoken here. Behind a request that asks for one, NIO's decoder reads no further request and
/// keeps all bytes that come, so from then on nothing is read.
final class LastAnswer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Tells the handlers behind this one that the header that came last is refused.
    struct HeaderRefused {}

    /// The most requests without an answer. All that come at once are kept, and are answered one inside the other.
    private static let unansweredLimit = 32
    /// How long a client has for reading its last answer. A connection that is closed with bytes that nobody has read
    /// may lose it.
    private static let parting = TimeAmount.seconds(1)

    private let book: ConnectionBook
    /// The requests whose answers are not written.
    private var unanswered = 0
    /// Whether a request has begun and is not complete.
    private var isInRequest = false
    /// Whether the client has sent more requests than it may without their answers. They are dropped, and it has to send
    /// them again on another connection (RFC 9112, 9.3.2).
    private var isDropping = false
    /// Whether no request follows those that have begun.
    private var isLast = false
    private var isReading = true
    /// Whether the header that came last was beyond the limits.
    private var isHeaderTooLarge = false

    init(_ book: ConnectionBook) { self.book = book }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isDropping else { return }
        switch self.unwrapInboundIn(data) {
        case .head where self.unanswered == Self.unansweredLimit:
            (self.isLast, self.isReading, self.isDropping) = (true, false, true)
            return
        case .head(let head):
            self.unanswered += 1
            self.isInRequest = true
            // A server may leave the wish without an answer of its own (RFC 9110, 7.8).
            if head.method == .CONNECT || head.headers.contains(name: "Upgrade") { self.isLast = true }
        case .body: break
        case .end:
            self.isInRequest = false
            self.book.waits(context.channel)
            if self.isLast { self.isReading = false }
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if self.isReading { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head) where self.isLast && self.unanswered == 1 && !self.isHeaderTooLarge:
            if head.status.code >= 200 { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body: context.write(data, promise: promise)
        case .end:
            self.unanswered -= 1
            guard self.isLast, self.unanswered == 0 else { return context.write(data, promise: promise) }
            context.write(data, promise: promise)
            if self.isHeaderTooLarge { self.refuseHeader(context) } else { self.flushAndPart(context) }
        }
    }

    /// Answers a header beyond the limits with 431, behind the answers to the requests before it. All other errors go on.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The bytes behind such a header are no request, and those behind too many requests do not count.
        guard !self.isHeaderTooLarge, !self.isDropping else { return }
        // The fields behind a body in chunks belong to a request that has begun.
        guard !self.isInRequest, case HTTPParserError.headerOverflow? = error as? HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        (self.isLast, self.isReading, self.isHeaderTooLarge) = (true, false, true)
        context.fireUserInboundEventTriggered(HeaderRefused())
        if self.unanswered == 0 { self.refuseHeader(context) }
    }

    private func refuseHeader(_ context: ChannelHandlerContext) {
        self.book.noted(.closed(.headerSize))
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .requestHeaderFieldsTooLarge,
            headers: ["Connection": "close", "Content-Length": "0"]
        )
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.end(nil)), promise: nil)
        self.flushAndPart(context)
    }

    private func flushAndPart(_ context: ChannelHandlerContext) {
        context.flush()
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.parting) { channel.close(promise: nil) }
    }
}
