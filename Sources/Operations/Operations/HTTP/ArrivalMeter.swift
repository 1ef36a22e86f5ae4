import NIOCore

/// Notes the progress of a connection by the bytes that arrive on it. It stands before the decoder.
///
/// A few bytes are no progress: a client that sends one now and then, to keep its connection, remains slow.
final class ArrivalMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The bytes that count as progress.
    private static let notableBytes = 256

    private let book: ConnectionBook
    private var unnotedBytes = 0

    init(_ book: ConnectionBook) { self.book = book }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.unnotedBytes += self.unwrapInboundIn(data).readableBytes
        if self.unnotedBytes >= Self.notableBytes {
            self.unnotedBytes = 0
            self.book.progressed(context.channel)
        }
        context.fireChannelRead(data)
    }
}
