internal import NIOCore
internal import NIOHTTP1

/// One client connection: it parses requests, and carries out the treatment that the site decided on for
/// each.
///
/// NIO's pipeline handler in front of it passes requests on one at a time, so that responses keep the order
/// of the requests.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The largest body of a request in bytes, enough for a control request with many keys. A longer body
    /// closes the connection.
    private static let bodyByteLimit = 16 << 20

    private let site: any Site
    private let listener: Listener
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var delayed: Scheduled<Void>?

    init(site: any Site, listener: Listener) {
        self.site = site
        self.listener = listener
    }

    func channelActive(context: ChannelHandlerContext) {
        self.site.connections.opened(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.site.connections.closed(context.channel)
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
            // Control and health requests are not counted, and no fault strikes them.
            self.answerAtTheDesk(head, context: context)
            return
        }
        let treatment = self.site.receive(head, body: self.body)
        guard treatment.delayMilliseconds > 0 else {
            self.follow(treatment, isKeepAlive: head.isKeepAlive, context: context)
            return
        }
        let delay = TimeAmount.milliseconds(Int64(treatment.delayMilliseconds))
        self.delayed = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.follow(treatment, isKeepAlive: head.isKeepAlive, context: context)
        }
    }

    /// Carries out the treatment of a request, after its delay.
    private func follow(_ treatment: Treatment, isKeepAlive: Bool, context: ChannelHandlerContext) {
        treatment.followed()
        switch treatment.conduct {
        case .hang: break
        case .close: context.close(promise: nil)
        case .reply(let reply): self.send(reply, isKeepAlive: isKeepAlive, context: context)
        }
    }

    /// Answers a control or health request. An outage starts only after the response.
    private func answerAtTheDesk(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let (site, listener, uri, method) = (self.site, self.listener, head.uri, head.method.rawValue)
        let body = Array(self.body.readableBytesView)
        context.eventLoop
            .makeFutureWithTask {
                await site.control(method: method, uri: uri, body: body, listener: listener)
            }
            .assumeIsolated()
            .whenSuccess { answer in
                guard context.channel.isActive else { return }
                self.send(answer.reply, isKeepAlive: head.isKeepAlive, context: context)
                if let outage = answer.outage {
                    // The port is closed only after the response has been sent and its connection is closed.
                    context.channel.closeFuture.whenComplete { [loop = context.eventLoop] _ in
                        loop.makeFutureWithTask { await listener.follow(outage) }.whenComplete { _ in }
                    }
                }
            }
    }

    private func send(_ reply: Reply, isKeepAlive: Bool, context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: reply.contentType)
        let byteCount = reply.body.readableBytes + reply.withheldByteCount
        headers.add(name: "content-length", value: String(byteCount))
        for (name, value) in reply.headers { headers.add(name: name, value: value) }
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
