import Logging
import Operations
import ServerTLS
import ServiceLifecycle

/// The services of the gateway: the server of its routes, and the publisher behind them.
struct Gateway {
    private let publisher: RecordPublisher
    private let server: GatewayServer
    /// Has the server take up a new certificate; empty without TLS.
    private let watches: [any Service]
    /// The limits that all requests share.
    let limits: RequestLimits

    /// - Parameter listening: called once, with the port, when requests are accepted.
    /// - Throws: an error about the certificate or its key.
    init(
        _ settings: GatewaySettings,
        registry: PrometheusRegistry,
        health: Health,
        logger: Logger,
        listening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        let publisher = RecordPublisher(settings, health: health, logger: logger)
        self.publisher = publisher
        for topic in Set(settings.topics.values) {
            registry.sampleGauge("gateway_topic_open", [("topic", topic)]) { publisher.isOpen(topic) ? 1 : 0 }
        }
        let certificate = try settings.certificate.map { try ServedCertificate($0) }
        if let certificate {
            registry.sampleGauge("gateway_certificate_expires_timestamp_seconds") {
                Double(certificate.expires)
            }
        }
        self.watches = SecretFileWatch.services(certificate?.watchedFiles ?? [], logger)
        let (limits, metrics) = (RequestLimits(settings), GatewayMetrics(factory: registry))
        registry.sampleGauge("gateway_bytes_in_hand") { Double(limits.bytesInHand) }
        registry.sampleGauge("gateway_connections") { Double(metrics.openConnections) }
        self.limits = limits
        self.server = GatewayServer(
            settings,
            certificate: certificate,
            answering: Answerer(settings, publisher: publisher, limits: limits, metrics: metrics),
            metrics: metrics,
            health: health
        ) { port in
            logger.info("listening", metadata: ["port": "\(port)"])
            await listening(port)
        }
    }

    /// The services in the order of their starts. A group stops them from the last to the first: the server
    /// answers all that it has taken before the publisher ends.
    var services: [any Service] { [self.publisher] + self.watches + [self.server] }
}
