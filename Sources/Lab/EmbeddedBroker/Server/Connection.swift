internal import NIOCore
internal import NIOSSL

/// One client's connection.
///
/// Like Kafka, the connection handles one request at a time, and reads no further until that request is
/// answered. Responses thus keep the order of the requests, and the requests of a fast client wait in its
/// socket.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let node: Node
    private var received = ByteBuffer()
    private var isBusy = false
    private var context: ChannelHandlerContext?
    /// The client's address as Kafka writes it: a slash and the IP address.
    private(set) var host = ""
    /// Whose the connection is. It is complete when the first request has arrived.
    lazy var identity = Identity(self.node.settings.security, certificate: self.certificate)
    private var delay: Timer?

    init(to node: Node) { self.node = node }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        self.host = "/" + (context.remoteAddress?.ipAddress ?? "")
        guard self.node.admits(context.channel) else {
            context.close(promise: nil)
            return
        }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        self.delay?.cancel()
        self.node.connectionClosed(context.channel)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = self.unwrapInboundIn(data)
        self.received.writeBuffer(&part)
    }

    func channelReadComplete(context: ChannelHandlerContext) { self.takeNext() }

    private func takeNext() {
        guard !self.isBusy, let context = self.context else { return }
        do {
            guard let frame = try self.nextFrame() else {
                context.read()
                return
            }
            self.isBusy = true
            var body = Reader(frame)
            let header = try RequestHeader(reading: &body)
            let call = Call(header, from: self, body: body) { [weak self] outcome in
                self?.finish(outcome)
            }
            try self.node.serve(call)
        } catch {
            context.close(promise: nil)
        }
    }

    /// The client's certificate in DER, once TLS is agreed on; nil without TLS or without a certificate.
    private var certificate: [UInt8]? {
        guard let pipeline = self.context?.pipeline.syncOperations else { return nil }
        guard let certificate = try? pipeline.nioSSL_peerCertificate() else { return nil }
        return try? certificate.toDERBytes()
    }

    /// Takes the next whole request from the received bytes; nil if more bytes must arrive first.
    private func nextFrame() throws(Malformed) -> ByteBuffer? {
        guard let length = self.received.getInteger(at: self.received.readerIndex, as: Int32.self) else {
            return nil
        }
        guard 0...self.node.settings.frameByteLimit ~= Int(length) else { throw Malformed() }
        guard self.received.readableBytes >= 4 + Int(length) else { return nil }
        self.received.moveReaderIndex(forwardBy: 4)
        let frame = self.received.readSlice(length: Int(length))
        // The slice shares the memory of `received`. The remaining bytes are copied, so that they do not keep
        // that memory alive.
        self.received =
            self.received.readableBytes > 0
            ? ByteBuffer(bytes: self.received.readableBytesView) : ByteBuffer()
        return frame
    }

    /// Carries out the reaction, after the latency of the injected faults.
    private func finish(_ outcome: Outcome) {
        let latency = self.node.latency()
        guard latency > .zero else {
            self.carryOut(outcome)
            return
        }
        self.delay = self.node.timers.after(latency) { [weak self] in self?.carryOut(outcome) }
    }

    private func carryOut(_ outcome: Outcome) {
        guard let context = self.context else { return }
        switch outcome {
        case .cut: context.close(promise: nil)
        case .silence: self.becomeIdle()
        case .answer(let bytes):
            context.writeAndFlush(self.wrapOutboundOut(bytes)).assumeIsolated().whenComplete { _ in
                self.becomeIdle()
            }
        }
    }

    /// Starts the next request in an event loop turn of its own, because a request may be answered in the
    /// middle of other work on the node.
    private func becomeIdle() {
        self.node.timers.next { [weak self] in
            self?.isBusy = false
            self?.takeNext()
        }
    }
}
