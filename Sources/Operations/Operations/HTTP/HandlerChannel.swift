import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Connections whose requests are answered by a handler of their own, on their event loop and without a task.
///
/// A task for each connection and its way through streams of parts cost more than everything else that is done for a
/// small request.
struct HandlerChannel: ServerChildChannel {
    /// An open connection.
    struct Connection: ServerChildChannelValue {
        let channel: any Channel
    }

    /// The most bytes that are read at once. All requests in them are decoded, and kept until their turn comes.
    private static let readLimit = 16_384

    let decoderLimits: NIOHTTPDecoderLimitConfiguration
    let idleLimit: TimeAmount
    /// Makes what watches a connection. It stands directly behind the decoder.
    let watch: @Sendable () -> ConnectionWatch
    /// Makes the handler of a connection, which reads and writes the parts of NIO's HTTP/1. It gets the next request
    /// when the last one is answered.
    let handler: @Sendable () -> any ChannelHandler

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: Self.readLimit)
            )
            let pipeline = channel.pipeline.syncOperations
            let watch = self.watch()
            // A client that does not read its answers is not read from either.
            try pipeline.addHandler(BackPressureHandler())
            try pipeline.addHandler(IdleStateHandler(readTimeout: self.idleLimit))
            try pipeline.addHandler(ArrivalMeter(watch.book))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withErrorHandling: false,
                withEncoderConfiguration: HTTPResponseEncoder.Configuration(),
                withDecoderLimitConfiguration: self.decoderLimits
            )
            try pipeline.addHandler(watch)
            try pipeline.addHandler(HTTPServerPipelineHandler())
            try pipeline.addHandler(self.handler())
            return Connection(channel: channel)
        }
    }

    func handle(value: Connection, logger: Logger) async {
        await withTaskCancellationHandler {
            // The future of an end cannot fail.
            try? await value.channel.closeFuture.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }
}
