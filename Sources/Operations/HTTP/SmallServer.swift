import Hummingbird
package import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 server for few who ask little: bounded in all that it takes, and silent.
///
/// It stops when its service group tells it to.
package struct SmallServer: Sendable {
    /// The address could not be taken; there is no use in trying again with the same settings.
    package struct CannotListen: Error, Hashable, CustomStringConvertible {
        package let host: String
        package let port: Int
        package let reason: String

        package var description: String { "cannot listen on \(self.host):\(self.port): \(self.reason)" }
    }

    private let host: String
    private let port: Int
    private let mostConnections: Int
    private let longestHeader: Int
    private let longestHeaders: Int
    private let headerLimit: Duration

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - mostConnections: one more closes the one that has waited the longest for progress. Slow clients can so
    ///     neither keep others out nor take the process's descriptors.
    ///   - longestHeader: bytes of one.
    ///   - longestHeaders: bytes of all of a request.
    ///   - headerLimit: the time until the first request of a connection has sent its header.
    package init(
        host: String,
        port: Int,
        mostConnections: Int,
        longestHeader: Int,
        longestHeaders: Int,
        headerLimit: Duration = .seconds(10)
    ) {
        self.host = host
        self.port = port
        self.mostConnections = mostConnections
        self.longestHeader = longestHeader
        self.longestHeaders = longestHeaders
        self.headerLimit = headerLimit
    }

    /// - Parameters:
    ///   - secured: puts TLS around it.
    ///   - listening: called once, with the port, as soon as connections are accepted.
    /// - Throws: `CannotListen`, and what `secured` throws.
    package func run(
        secured: (HTTPServerBuilder) throws -> HTTPServerBuilder = { $0 },
        listening: @escaping @Sendable (_ port: Int) async -> Void,
        answer: @escaping @Sendable (Request) async -> Response
    ) async throws {
        // Hummingbird tells of every start and every reset connection; what matters is in the errors thrown.
        var logger = Logger(label: "small-server")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in await answer(request) },
            server: try secured(.http1(configuration: self.channel)),
            configuration: ApplicationConfiguration(
                address: .hostname(self.host, port: self.port),
                // Those that are being closed count too, until they are.
                availableConnectionsDelegate: MaximumAvailableConnections(2 * self.mostConnections)
            ),
            onServerRunning: { channel in await listening(channel.localAddress?.port ?? 0) },
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw CannotListen(host: self.host, port: self.port, reason: Self.reason(error))
        }
    }

    private var channel: HTTP1Channel.Configuration {
        let book = ConnectionBook(limit: self.mostConnections)
        let headerLimit = TimeAmount(self.headerLimit)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionWatch(book, headerLimit: headerLimit)],
            idleTimeout: .seconds(60),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: self.longestHeader,
                maxHeaderListSize: self.longestHeaders,
                maxHeaderFieldCount: 64
            )
        )
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case 98: "the address is already in use"
        case 99: "the address is not one of this machine"
        case 13: "permission denied"
        default: "system error \(error.errnoCode)"
        }
    }
}
