import Hummingbird
import ServiceLifecycle

/// Answers `/livez`, `/readyz` and `/metrics`; all other paths are not found.
///
/// The server stops when its service group tells it to. It must stand before the engine in the group: a group
/// stops its services from the last to the first, so the server goes on answering "not ready" while the
/// engine drains.
package struct HealthServer: Service {
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
            "the health server cannot listen on \(self.host):\(self.port): \(self.reason); \(self.setting) names "
                + "another port, and 0 takes any free one"
        }
    }

    /// The largest number of open connections. Probes and scrapers are few. One connection more closes the
    /// slowest, so that a probe is always answered.
    private static let mostConnections = 64
    private static let longestHeader = 8_192

    private let host: String
    private let port: Int
    private let setting: String
    private let health: Health
    private let registry: PrometheusRegistry
    private let headerLimit: Duration
    private let listening: @Sendable (_ port: Int) async -> Void

    /// Prepares a server, which begins with `run()`.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - setting: the name of the setting with the port, for the error.
    ///   - headerLimit: a connection that has not sent the header of its first request by then is closed.
    ///   - listening: called once, with the port, when the server accepts connections.
    package init(
        host: String = "127.0.0.1",
        port: Int = 0,
        setting: String = "health.port",
        health: Health,
        registry: PrometheusRegistry,
        headerLimit: Duration = .seconds(10),
        listening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.setting = setting
        self.health = health
        self.registry = registry
        self.headerLimit = headerLimit
        self.listening = listening
    }

    /// Serves until the service group shuts down.
    ///
    /// - Throws: `CannotListen` if the address cannot be used.
    package func run() async throws {
        let server = SmallServer(
            host: self.host,
            port: self.port,
            setting: self.setting,
            mostConnections: Self.mostConnections,
            longestHeader: Self.longestHeader,
            longestHeaders: Self.longestHeader,
            headerLimit: self.headerLimit
        )
        do {
            try await server.run(listening: self.listening) { [health, registry] request in
                Self.answer(request, health: health, registry: registry)
            }
        } catch let error as SmallServer.CannotListen {
            throw CannotListen(
                host: error.host,
                port: error.port,
                reason: error.reason,
                setting: error.setting
            )
        }
    }

    private static func answer(_ request: Request, health: Health, registry: PrometheusRegistry) -> Response {
        guard request.method == .get || request.method == .head else {
            return Self.response(
                .methodNotAllowed,
                "text/plain",
                body: Array("only GET and HEAD\n".utf8),
                allow: true
            )
        }
        // A longer path is none of these, and a stranger chooses it.
        let path = request.uri.path
        let response =
            switch path.utf8.count <= 64 ? path : "" {
            case "/livez": Self.response(HealthAnswer(health.liveness))
            case "/readyz": Self.response(HealthAnswer(health.readiness))
            case "/metrics":
                Self.response(.ok, PrometheusRegistry.contentType, body: Array(registry.exposition().utf8))
            default: Self.response(.notFound, "text/plain", body: Array("not found\n".utf8))
            }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func response(_ answer: HealthAnswer) -> Response {
        Self.response(answer.isGood ? .ok : .serviceUnavailable, "application/json", body: answer.body)
    }

    private static func response(
        _ status: HTTPResponse.Status,
        _ contentType: String,
        body: [UInt8],
        allow: Bool = false
    ) -> Response {
        var headers: HTTPFields = [.contentType: contentType, .cacheControl: "no-store"]
        if allow { headers[.allow] = "GET, HEAD" }
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }
}
