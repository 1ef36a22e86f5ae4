import Cryptography
import Glibc
import Logging
import Metrics
import Operations
import ServiceLifecycle
import UnixSignals
import UpstreamHTTP

/// A worker as a process: its services under one group, its signals, its log.
package struct WorkerProcess: Sendable {
    private let settings: WorkerSettings
    private let handler: ErasedHandler
    private let identity: WorkerIdentity
    private let bound: RunBound

    package init(
        settings: WorkerSettings,
        handler: ErasedHandler,
        identity: WorkerIdentity,
        bound: RunBound = RunBound()
    ) {
        self.bound = bound
        self.settings = settings
        self.handler = handler
        self.identity = identity
    }

    /// Runs until SIGTERM or SIGINT has been followed by a complete drain. A second signal ends the process at once.
    package func run() async throws {
        // A peer that closes its connection is an error of one call, not the end of the process.
        _ = signal(SIGPIPE, SIG_IGN)
        try DescriptorLimit.makeRoom(forCalls: self.settings.engine.concurrency)
        let logger = self.logger()
        let registry = PrometheusRegistry()
        MetricCatalogue.describe(in: registry)
        let build = [("worker", self.identity.name), ("version", WorkerIdentity.version)]
        Gauge(label: "worker_build_info", dimensions: build, factory: registry).record(1)
        let health = Health()
        let worker = WorkerService(
            settings: self.settings,
            handler: self.handler,
            registry: registry,
            health: health,
            logger: logger,
            bound: self.bound
        )
        let server = HealthServer(
            host: self.settings.healthHost,
            port: self.settings.healthPort,
            health: health,
            registry: registry
        ) { port in
            logger.info("health and metrics", metadata: ["port": "\(port)"])
        }
        logger.info("starting", metadata: ["version": "\(WorkerIdentity.version)"])
        if let file = self.settings.http.certificateAuthorityFile {
            logger.notice(
                "trusts its own authorities instead of the system's",
                metadata: ["ca_file": "\(file)"]
            )
        }
        // Before the engine, so that they are there as long as it is.
        let surroundings = Surroundings(registry: registry, logger: logger)
        let companions = self.handler.companions(surroundings).map {
            ServiceGroupConfiguration.ServiceConfiguration(
                service: $0,
                successTerminationBehavior: .gracefullyShutdownGroup
            )
        }
        // Stopped from the last to the first: the health server answers until the worker has drained.
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: ImpatientStop(), successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(service: server, successTerminationBehavior: .gracefullyShutdownGroup),
                ] + companions + [
                    .init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        try await group.run()
    }

    private func logger() -> Logger {
        let hash: Redaction.KeyedHash = { key, bytes in MessageAuthentication(key: key)(bytes) }
        let redaction = self.settings.logSalt.map { Redaction(salt: $0, hash: hash) } ?? Redaction(hash: hash)
        let level = Logger.Level(rawValue: self.settings.logLevel) ?? .info
        return Logger(label: self.identity.name) { label in
            StructuredLogHandler(
                label: label,
                level: level,
                format: self.settings.logFormat,
                redaction: redaction
            )
        }
    }
}

/// Ends the process when it is asked to stop for the second time: whoever asks twice does not want to wait.
private struct ImpatientStop: Service {
    func run() async throws {
        var requests = 0
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint).cancelOnGracefulShutdown() {
            requests += 1
            // Nothing is lost: what is not committed is delivered again.
            if requests == 2 { _exit(130) }
        }
    }
}
