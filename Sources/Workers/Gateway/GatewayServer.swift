import NIOCore
import Operations
import ServerTLS
import ServiceLifecycle

/// Serves the routes until the service group shuts down. It then accepts no connection, closes the idle ones,
/// and ends when every request that it has taken is answered.
struct GatewayServer: Service {
    /// The largest header field of a request, and the largest request line, in bytes.
    private static let longestHeader = 8_192

    private let settings: GatewaySettings
    private let certificate: ServedCertificate?
    private let answerer: Answerer
    private let metrics: GatewayMetrics
    private let health: Health
    private let listening: @Sendable (_ port: Int) async -> Void

    init(
        _ settings: GatewaySettings,
        certificate: ServedCertificate?,
        answering answerer: Answerer,
        metrics: GatewayMetrics,
        health: Health,
        listening: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        self.settings = settings
        self.certificate = certificate
        self.answerer = answerer
        self.metrics = metrics
        self.health = health
        self.listening = listening
    }

    /// Serves until the service group shuts down.
    ///
    /// - Throws: `SmallServer.CannotListen`.
    func run() async throws {
        let server = SmallServer(
            host: self.settings.host,
            port: self.settings.port,
            setting: "gateway.port",
            mostConnections: self.settings.connections,
            isProxy: { [proxies = self.settings.trustedProxies] in
                $0.ipAddress.flatMap { ClientAddress($0) }.map { proxies.contains($0) } ?? false
            },
            noted: { [metrics] in metrics.note($0) },
            longestHeader: Self.longestHeader,
            longestHeaders: 2 * Self.longestHeader,
            headerLimit: self.settings.headerTime,
            idleLimit: self.settings.idleTime,
            // A request that was taken before the stop is answered by then.
            drainLimit: self.settings.bodyTime + self.settings.deliveryTime + .seconds(1)
        )
        let certificate = self.certificate
        try await withGracefulShutdownHandler {
            try await server.run(
                secured: { try certificate?.secure($0) ?? $0 },
                listening: self.listening
            ) { [answerer] in RequestHandler(answerer) }
        } onGracefulShutdown: { [health] in
            health.become(.draining)
        }
    }
}
