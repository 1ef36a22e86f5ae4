import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Operations
import Testing

@testable import Gateway

/// The handler of a connection, on an event loop of the test.
struct HandlerTests {
    /// Each connection once left its handler in memory, with the header of a request whose body had not come.
    @Test func nothingIsKeptOfAConnectionThatHasEnded() throws {
        let settings = try Stage.settings(brokers: "127.0.0.1:1")
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let answerer = Answerer(
            settings,
            publisher: RecordPublisher(settings, health: Health(), logger: logger),
            limits: RequestLimits(settings),
            metrics: GatewayMetrics(factory: PrometheusRegistry())
        )
        let channel = EmbeddedChannel()
        weak var handler: RequestHandler?
        do {
            let made = RequestHandler(answerer)
            handler = made
            try channel.pipeline.syncOperations.addHandler(made)
        }
        let head = HTTPRequestHead(
            version: .http1_1,
            method: .POST,
            uri: Stage.upload,
            headers: ["Host": "a", "Content-Length": "10"]
        )
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        #expect(handler != nil)
        _ = try channel.finish()
        #expect(handler == nil)
    }
}
