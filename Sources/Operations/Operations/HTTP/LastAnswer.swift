internal import NIOCore
import NIOHTTP1

/// Ends a connection behind an answer that no other can follow: the one to a request that asks for another protocol, and
/// the one to a header beyond the limits. It stands directly behind the decoder.
///
/// No protocol but HTTP/1.1 is spoken here. Behind a request that asks for one, NIO's decoder reads no further request and
/// keeps all bytes that come, so from then on nothing is read.
final class LastAnswer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let book: ConnectionBook
    /// The requests whose answers are not written.
    private var unanswered = 0
    /// Whether no request follows those that have begun.
    private var isLast = false
    private var isReading = true
    /// Whether the header that came last was beyond the limits.
    private var isHeaderTooLarge = false

    init(_ book: ConnectionBook) { self.book = book }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.unanswered += 1
            // A server may leave the wish without an answer of its own (RFC 9110, 7.8).
            if head.method == .CONNECT || head.headers.contains(name: "Upgrade") { self.isLast = true }
        case .body: break
        case .end:
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
            if self.isHeaderTooLarge { self.refuseHeader(context) } else { self.flushAndClose(context) }
        }
    }

    /// Answers a header beyond the limits with 431, behind the answers to the requests before it. All other errors go on.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The bytes behind such a header are no request.
        guard !self.isHeaderTooLarge else { return }
        guard case HTTPParserError.headerOverflow? = error as? HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        (self.isLast, self.isReading, self.isHeaderTooLarge) = (true, false, true)
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
        self.flushAndClose(context)
    }

    private func flushAndClose(_ context: ChannelHandlerContext) {
        context.flush()
        context.close(promise: nil)
    }
}
