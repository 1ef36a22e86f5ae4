import Hummingbird
import ServiceLifecycle

/// Answers `/livez`, `/readyz` and `/metrics`, and nothing else.
///
/// It stops when its service group tells it to. Put it before the engine in the group: groups stop from the back, so it
/// keeps answering, not ready, while the engine drains.
package struct HealthServer: Service {
    /// The address could not be taken; there is no use in trying again with the same settings.
    package struct CannotListen: Error, Hashable, CustomStringConvertible {
        package let host: String
        package let port: Int
        package let reason: String

        package var description: String {
            "the health server cannot listen on \(self.host):\(self.port): \(self.reason)"
        }
    }

    /// Probes and scrapers are few. Of more than these the slowest is dropped, so that a probe is always answered.
    private static let mostConnections = 64
    private static let longestHeader = 8_192

    private let host: String
    private let port: Int
    private let health: Health
    private let registry: PrometheusRegistry
    private let headerLimit: Duration
    private let listening: @Sendable (_ port: Int) async -> Void

    /// Port 0 takes any free one. `listening` is called once, with the port, as soon as connections are accepted.
    ///
    /// - Parameter headerLimit: a connection without a request's header for so long is closed.
    package init(
        host: String = "127.0.0.1",
        port: Int = 0,
        health: Health,
        registry: PrometheusRegistry,
        headerLimit: Duration = .seconds(10),
        listening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.health = health
        self.registry = registry
        self.headerLimit = headerLimit
        self.listening = listening
    }

    package func run() async throws {
        let server = SmallServer(
            host: self.host,
            port: self.port,
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
            throw CannotListen(host: error.host, port: error.port, reason: error.reason)
        }
    }

    private static func answer(_ request: Request, health: Health, registry: PrometheusRegistry) -> Response {
        guard request.method == .get || request.method == .head else {
            return Self.response(
                .methodNotAllowed,
                "text/plain",
                Array("only GET and HEAD\n".utf8),
                allow: true
            )
        }
        let response =
            switch request.uri.path {
            case "/livez": Self.response(HealthAnswer(health.liveness))
            case "/readyz": Self.response(HealthAnswer(health.readiness))
            case "/metrics":
                Self.response(.ok, PrometheusRegistry.contentType, Array(registry.exposition().utf8))
            default: Self.response(.notFound, "text/plain", Array("not found\n".utf8))
            }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func response(_ answer: HealthAnswer) -> Response {
        Self.response(answer.isGood ? .ok : .serviceUnavailable, "application/json", answer.body)
    }

    private static func response(
        _ status: HTTPResponse.Status,
        _ contentType: String,
        _ body: [UInt8],
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
