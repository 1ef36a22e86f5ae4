internal import NIOCore
internal import NIOHTTP1

/// One connection: takes requests apart and carries out what was decided about each.
///
/// The pipeline handler in front of it passes requests on one at a time, so that answers keep their order.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A control request may bring many keys; nothing else needs a body.
    private static let bodyByteLimit = 16 << 20

    private let switchboard: Switchboard
    private let desk: ControlDesk
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var delayed: Scheduled<Void>?

    init(switchboard: Switchboard, desk: ControlDesk) {
        self.switchboard = switchboard
        self.desk = desk
    }

    func channelActive(context: ChannelHandlerContext) {
        self.switchboard.connections.opened(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.switchboard.connections.closed(context.channel)
        self.delayed?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            self.body.clear()
        case .body(var part):
            if self.body.readableBytes + part.readableBytes > Self.bodyByteLimit {
                context.close(promise: nil)
            } else {
                self.body.writeBuffer(&part)
            }
        case .end:
            guard let head = self.head else { return }
            self.head = nil
            self.answer(head, context: context)
        }
    }

    private func answer(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        if ControlDesk.answers(head.uri) {
            self.answerAtTheDesk(head, context: context)
            return
        }
        // The API knows only GET: anything else is judged as a request without a target.
        let course = self.switchboard.receive(target: head.method == .GET ? Array(head.uri.utf8) : [])
        guard course.delayMilliseconds > 0 else {
            self.follow(course, isKeepAlive: head.isKeepAlive, context: context)
            return
        }
        let delay = TimeAmount.milliseconds(Int64(course.delayMilliseconds))
        self.delayed = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.follow(course, isKeepAlive: head.isKeepAlive, context: context)
        }
    }

    private func follow(_ course: Course, isKeepAlive: Bool, context: ChannelHandlerContext) {
        self.switchboard.followed(course)
        switch course.misbehaviour {
        case .hang:
            break
        case .cutBefore, .cutAfter:
            context.close(promise: nil)
        case .status(let status, let retryAfter):
            let reply = Reply.status(status, retryAfterSeconds: retryAfter)
            self.send(reply, isKeepAlive: isKeepAlive, context: context)
        case .proxyPage:
            self.send(.proxyPage, isKeepAlive: isKeepAlive, context: context)
        case .truncate:
            self.send(.truncated(course.ret), isKeepAlive: isKeepAlive, context: context)
        case nil, .ret:
            self.send(.ret(course.ret), isKeepAlive: isKeepAlive, context: context)
        }
    }

    private func answerAtTheDesk(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let (desk, uri, method) = (self.desk, head.uri, head.method.rawValue)
        let body = Array(self.body.readableBytesView)
        context.eventLoop
            .makeFutureWithTask { await desk.answer(method: method, uri: uri, body: body) }
            .assumeIsolated()
            .whenSuccess { answer in
                guard context.channel.isActive else { return }
                self.send(answer.reply, isKeepAlive: head.isKeepAlive, context: context)
                if let outage = answer.outage {
                    // The port goes away only once the answer is out and its connection closed.
                    context.channel.closeFuture.whenComplete { [loop = context.eventLoop] _ in
                        loop.makeFutureWithTask { await desk.begin(outage) }.whenComplete { _ in }
                    }
                }
            }
    }

    private func send(_ reply: Reply, isKeepAlive: Bool, context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: reply.contentType)
        let byteCount = reply.body.readableBytes + reply.withheldByteCount
        headers.add(name: "content-length", value: String(byteCount))
        if let seconds = reply.retryAfterSeconds {
            headers.add(name: "retry-after", value: String(seconds))
        }
        let staysOpen = isKeepAlive && !reply.closesConnection
        headers.add(name: "connection", value: staysOpen ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: reply.status),
            headers: headers
        )
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(reply.body))), promise: nil)
        guard !staysOpen else {
            context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        context.writeAndFlush(self.wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
