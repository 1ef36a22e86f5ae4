import Glibc
import Hummingbird
package import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTP1

/// An HTTP/1.1 server for small requests. Everything that it accepts is limited, and it logs nothing.
///
/// The server stops when its service group tells it to.
package struct SmallServer: Sendable {
    /// The server could not use its address. Trying again with the same settings is useless.
    package struct CannotListen: Error, Hashable, CustomStringConvertible {
        /// The host of the address.
        package let host: String
        /// The port of the address.
        package let port: Int
        /// The reason in words, as the end of a sentence.
        package let reason: String
        /// The name of the setting with the port.
        package let setting: String

        package var description: String {
            "cannot listen on \(self.host):\(self.port): \(self.reason); \(self.setting) names another port"
        }
    }

    private let host: String
    private let port: Int
    private let setting: String
    private let mostConnections: Int
    private let isProxy: @Sendable (SocketAddress) -> Bool
    private let noted: @Sendable (ConnectionEvent) -> Void
    private let longestHeader: Int
    private let longestHeaders: Int
    private let headerLimit: Duration
    private let idleLimit: Duration
    private let drainLimit: Duration

    /// Prepares a server, which begins with `run`.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - setting: the name of the setting with the port, for the error.
    ///   - mostConnections: the largest number of open connections. A connection beyond it closes one, as
    ///     `ConnectionRanks` says. Slow clients therefore cannot keep others out, nor use up the descriptors of the
    ///     process.
    ///   - isProxy: whether a peer asks for many clients, so that each of its connections counts as one client.
    ///   - noted: is told of each event in the life of a connection. It must not block.
    ///   - longestHeader: the largest header field, in bytes.
    ///   - longestHeaders: all header fields of a request together, in bytes.
    ///   - headerLimit: the time in which the first request of a connection must have sent its header.
    ///   - idleLimit: the longest time for which a connection may be silent between two requests, in the header of
    ///     the second and later ones, and in a body.
    ///   - drainLimit: the time in which the requests that were taken before a shutdown must be answered, and
    ///     their answers read; then their connections are closed.
    package init(
        host: String,
        port: Int,
        setting: String,
        mostConnections: Int,
        isProxy: @escaping @Sendable (SocketAddress) -> Bool = { _ in false },
        noted: @escaping @Sendable (ConnectionEvent) -> Void = { _ in },
        longestHeader: Int,
        longestHeaders: Int,
        headerLimit: Duration = .seconds(10),
        idleLimit: Duration = .seconds(60),
        drainLimit: Duration = .seconds(2)
    ) {
        self.host = host
        self.port = port
        self.setting = setting
        self.mostConnections = mostConnections
        self.isProxy = isProxy
        self.noted = noted
        self.longestHeader = longestHeader
        self.longestHeaders = longestHeaders
        self.headerLimit = headerLimit
        self.idleLimit = idleLimit
        self.drainLimit = drainLimit
    }

    /// Serves until the service group shuts down, with a task for each connection.
    ///
    /// - Parameters:
    ///   - secured: adds TLS to the server.
    ///   - listening: called once, with the port, when the server accepts connections.
    ///   - answer: makes the response to each request.
    /// - Throws: `CannotListen`, or an error of `secured`.
    package func run(
        secured: (HTTPServerBuilder) throws -> HTTPServerBuilder = { $0 },
        listening: @escaping @Sendable (_ port: Int) async -> Void,
        answer: @escaping @Sendable (Request) async -> Response
    ) async throws {
        try await self.run(
            try secured(.http1(configuration: self.channel)),
            listening: listening,
            answer: answer
        )
    }

    /// Serves until the service group shuts down, with a handler for each connection, which answers on the event loop.
    /// It must not block.
    ///
    /// - Parameters:
    ///   - secured: adds TLS to the server.
    ///   - listening: called once, with the port, when the server accepts connections.
    ///   - handler: makes the handler of a connection. It reads and writes the parts of NIO's HTTP/1, and is told of
    ///     silence by `IdleStateHandler.IdleStateEvent.read`.
    /// - Throws: `CannotListen`, or an error of `secured`.
    package func run(
        secured: (HTTPServerBuilder) throws -> HTTPServerBuilder,
        listening: @escaping @Sendable (_ port: Int) async -> Void,
        handler: @escaping @Sendable () -> any ChannelHandler
    ) async throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = self.longestHeader
        limits.maxHeaderListSize = self.longestHeaders
        limits.maxHeaderFieldCount = Self.mostHeaders
        let channel = HandlerChannel(
            decoderLimits: limits,
            idleLimit: TimeAmount(self.idleLimit),
            watch: self.watch,
            handler: handler
        )
        let server = try secured(HTTPServerBuilder { _ in channel })
        try await self.run(server, listening: listening) { _ in Response(status: .notFound) }
    }

    private func run(
        _ server: HTTPServerBuilder,
        listening: @escaping @Sendable (_ port: Int) async -> Void,
        answer: @escaping @Sendable (Request) async -> Response
    ) async throws {
        // Hummingbird logs every start and every connection that is reset. The errors that are thrown say all
        // that matters.
        var logger = Logger(label: "small-server")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in await answer(request) },
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(self.host, port: self.port),
                // Connections that are being closed count until they are closed, so this limit is twice the
                // other.
                availableConnectionsDelegate: MaximumAvailableConnections(2 * self.mostConnections)
            ),
            onServerRunning: { channel in await listening(channel.localAddress?.port ?? 0) },
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw CannotListen(
                host: self.host,
                port: self.port,
                reason: Self.reason(error),
                setting: self.setting
            )
        }
    }

    /// The largest number of header fields of a request.
    private static let mostHeaders = 64

    /// Makes what watches each connection. All of them share one book.
    private var watch: @Sendable () -> ConnectionWatch {
        let book = ConnectionBook(limit: self.mostConnections, isProxy: self.isProxy, noted: self.noted)
        let (headerLimit, drainLimit) = (TimeAmount(self.headerLimit), TimeAmount(self.drainLimit))
        return { ConnectionWatch(book, headerLimit: headerLimit, drainLimit: drainLimit) }
    }

    private var channel: HTTP1Channel.Configuration {
        let watch = self.watch
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [watch()],
            idleTimeout: TimeAmount(self.idleLimit),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: self.longestHeader,
                maxHeaderListSize: self.longestHeaders,
                maxHeaderFieldCount: Self.mostHeaders
            )
        )
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case EADDRINUSE: "the address is already in use"
        case EADDRNOTAVAIL: "the address is not one of this machine"
        case EACCES: "permission denied"
        default: "system error \(error.errnoCode)"
        }
    }
}
