import NIOCore
import NIOHTTP1
import ServiceKit
import WireFormats

/// Answers the requests of one connection, one after the other, on its event loop.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request whose answer is not written yet.
    private struct Exchange {
        let head: HTTPRequestHead
        let route: Route?
        /// The client; nil if the request is refused, whatever its body is.
        let client: ClientAddress?
        let refusal: Answer?
        /// The monotonic time at which the header was complete.
        let start: Int64
    }

    private enum Stage {
        /// The next request may come.
        case waiting
        /// The body comes in.
        case receiving(Exchange)
        /// The records are with the publisher.
        case publishing(Exchange)
        /// The answer was written before the body had come. The rest of the body is dropped.
        case parting
        /// The last answer is written, and the connection is closed behind it.
        case closing
    }

    /// How long a peer may go on sending a body that is not read.
    private static let parting = TimeAmount.seconds(1)
    /// The refusals in a row after which a connection is closed. Requests that come to nothing cost little to send.
    private static let refusalsLimit = 16

    private let answerer: Answerer
    private var stage = Stage.waiting
    /// The body of the request that comes in or is being published; nil if there is none.
    private var body: IncomingBody?
    /// Gives up the body that comes in; may be called on any thread.
    private var giveUp: @Sendable () -> Void = {}
    private var bodyTimer: Scheduled<Void>?
    /// Nil once the handler has left its connection.
    private var context: ChannelHandlerContext?
    /// Whether the peer has sent its last byte.
    private var isInputClosed = false
    /// The requests in a row that were refused for what they were.
    private var refusals = 0

    init(_ answerer: Answerer) {
        self.answerer = answerer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let (loop, me) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
        self.giveUp = { loop.execute { me.value.bodyGivenUp() } }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.bodyTimer?.cancel()
        // The closure holds this handler, which would else never be freed.
        self.giveUp = {}
        // Records that are being published are in memory until their report, also when nobody waits for it.
        if case .publishing = self.stage { return }
        self.stage = .closing
        self.releaseBody()
    }

    private func releaseBody() {
        self.body?.release()
        self.body = nil
    }

    /// Answers a request whose body was given up for others.
    private func bodyGivenUp() {
        // The body may have been complete when this was asked for, and the next one may be coming in.
        guard case .receiving(let exchange) = self.stage, self.body?.isGivenUp == true, let context else {
            return
        }
        self.answerer.closed(.bytesInHand)
        self.write(exchange.refusal ?? .unavailable, to: exchange, isRead: false, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.begin(head, context)
        case .body(let part): self.take(part, context)
        case .end: self.end(context)
        }
    }

    private func begin(_ given: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard case .waiting = self.stage else { return }
        var head = given
        head.uri = Route.originForm(of: given.uri)
        let start = Moment.now.monotonic
        let route = Route(of: head.uri, settings: self.answerer.settings)
        var (client, refusal): (ClientAddress?, Answer?) = (nil, nil)
        do throws(Answer) {
            client = try self.answerer.admit(head, on: route, from: context.remoteAddress)
        } catch {
            refusal = error
        }
        let exchange = Exchange(head: head, route: route, client: client, refusal: refusal, start: start)
        // The parser has let digits through only, also those of a number that no body can have.
        let announced = head.headers.first(name: "Content-Length").map { Int($0) ?? .max }
        let longest = self.answerer.settings.bodyLimit
        guard announced ?? 0 <= longest else {
            return self.write(refusal ?? .tooLarge, to: exchange, isRead: false, context)
        }
        self.body = IncomingBody(
            announced: announced,
            longest: longest,
            limits: self.answerer.limits,
            client: client,
            route: route,
            id: ObjectIdentifier(self),
            giveUp: self.giveUp
        )
        self.stage = .receiving(exchange)
        // A client that expects this waits for it, or for a refusal, before it sends the body (RFC 9110, 10.1.1).
        if head.headers["Expect"].contains(where: Self.wantsToGoOn) {
            if let refusal { return self.write(refusal, to: exchange, isRead: false, context) }
            let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(self.wrapOutboundOut(.head(goOn)), promise: nil)
        }
        // A request with neither header has no body (RFC 9112, 6.3).
        if announced ?? 0 > 0 || head.headers.contains(name: "Transfer-Encoding") {
            let channel = context.channel
            let answerer = self.answerer
            self.bodyTimer = context.eventLoop.scheduleTask(in: TimeAmount(answerer.settings.bodyTime)) {
                answerer.closed(.bodyTime)
                channel.close(promise: nil)
            }
        }
    }

    /// Returns whether one of the expectations in a header's value is that we ask for the body. It reads bytes, because
    /// to compare the characters of a value of a stranger's choice can take seconds.
    private static func wantsToGoOn(_ value: String) -> Bool {
        value.utf8.split(separator: UInt8(ascii: ",")).contains {
            $0.trimmingWhiteSpace().map(\.lowercased).elementsEqual("100-continue".utf8)
        }
    }

    private func take(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .receiving(let exchange) = self.stage, self.body?.take(part) == false else { return }
        self.write(exchange.refusal ?? .tooLarge, to: exchange, isRead: false, context)
    }

    private func end(_ context: ChannelHandlerContext) {
        switch self.stage {
        case .receiving(let exchange):
            self.bodyTimer?.cancel()
            self.bodyTimer = nil
            self.body?.complete()
            guard let route = exchange.route, let client = exchange.client, self.body?.refusal == nil else {
                let refusal = exchange.refusal ?? self.body?.refusal ?? .unavailable
                return self.write(refusal, to: exchange, isRead: true, context)
            }
            self.publish(exchange, of: client, on: route, context)
        case .parting: context.close(promise: nil)
        case .waiting, .publishing, .closing: break
        }
    }

    private func publish(
        _ exchange: Exchange,
        of client: ClientAddress,
        on route: Route,
        _ context: ChannelHandlerContext
    ) {
        let post = Post(
            target: exchange.head.uri,
            headers: exchange.head.headers,
            client: client.text,
            body: self.body?.bytes ?? []
        )
        self.stage = .publishing(exchange)
        let (loop, me) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
        self.answerer.answer(post, of: client, on: route) { answer in
            loop.execute { me.value.published(answer) }
        }
    }

    private func published(_ answer: Answer) {
        guard case .publishing(let exchange) = self.stage else { return }
        if let context = self.context, context.channel.isActive {
            self.write(answer, to: exchange, isRead: true, context)
        } else {
            // The peer has gone without its answer.
            self.releaseBody()
            self.answerer.count(answer, on: exchange.route, since: exchange.start)
            self.stage = .closing
        }
    }

    /// - Parameter isRead: Whether nothing of the body is left to come.
    private func write(
        _ answer: Answer,
        to exchange: Exchange,
        isRead: Bool,
        _ context: ChannelHandlerContext
    ) {
        self.bodyTimer?.cancel()
        self.bodyTimer = nil
        self.releaseBody()
        self.answerer.count(answer, on: exchange.route, since: exchange.start)
        self.refusals = answer.isAboutTheRequest ? self.refusals + 1 : 0
        let closes =
            !isRead || !exchange.head.isKeepAlive || self.isInputClosed
            || self.refusals >= Self.refusalsLimit
        let (head, text) = answer.response(on: exchange.route, closes: closes)
        // With the end of the response the next request may come at once.
        self.stage = !closes ? .waiting : isRead ? .closing : .parting
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        // The answer to HEAD has the length of a body, and no body (RFC 9110, 9.3.2).
        if exchange.head.method != .HEAD {
            let buffer = context.channel.allocator.buffer(string: text)
            context.write(self.wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        let written = context.writeAndFlush(self.wrapOutboundOut(.end(nil)))
        guard closes else { return }
        let channel = context.channel
        if isRead {
            written.whenComplete { _ in channel.close(promise: nil) }
        } else {
            // A body that nobody reads would go on coming in. A connection that is closed before its peer has read the
            // answer may lose it.
            context.eventLoop.scheduleTask(in: Self.parting) { channel.close(promise: nil) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (event, self.stage) {
        // A peer that has sent all may still wait for its answer.
        case (ChannelEvent.inputClosed, .publishing): self.isInputClosed = true
        case (ChannelEvent.inputClosed, _): context.close(promise: nil)
        // The publisher answers in time by itself.
        case (IdleStateHandler.IdleStateEvent.read, .publishing): break
        case (IdleStateHandler.IdleStateEvent.read, _):
            self.answerer.closed(.idleTime)
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Answers what is no HTTP with 400. All other errors are those of the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard context.channel.isActive else { return context.close(promise: nil) }
        switch self.stage {
        case .waiting where error is HTTPParserError: self.refuseText(context)
        case .receiving(let exchange) where error is HTTPParserError:
            let answer = exchange.refusal ?? .malformed("a body that is no HTTP")
            self.write(answer, to: exchange, isRead: false, context)
        // The connection ends by itself, with its last answer.
        case .parting, .closing: break
        case .waiting, .receiving, .publishing: context.close(promise: nil)
        }
    }

    private func refuseText(_ context: ChannelHandlerContext) {
        self.answerer.count(.malformed("no HTTP"), on: nil, since: Moment.now.monotonic)
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .badRequest,
            headers: ["Connection": "close", "Content-Length": "0"]
        )
        self.stage = .closing
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(self.wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
