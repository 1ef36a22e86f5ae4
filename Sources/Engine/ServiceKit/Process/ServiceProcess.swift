import Cryptography
import Foundation
import Glibc
package import Logging
import Metrics
package import Operations
package import ServiceLifecycle
import UnixSignals

/// The services of one process in one group, with its signals, its log, its health and its metrics.
package struct ServiceProcess: Sendable {
    /// The registry, the health and the logger that all services of the process share.
    package struct Surroundings: Sendable {
        package var registry: PrometheusRegistry
        package var health: Health
        package var logger: Logger
        /// The choices of an operator, which the engines of the process obey.
        package var desk: OperatorDesk
    }

    /// The settings that a running process takes over when it gets SIGHUP.
    package struct Reread: Sendable {
        /// The level of the log, by its name.
        package var logLevel: String
        /// The largest number of calls in flight; nil for a process without calls.
        package var concurrency: Int?
        /// Calls a second of the whole fleet; nil if the settings have no rate.
        package var rate: Double?

        package init(_ settings: OperationSettings, concurrency: Int? = nil, rate: Double? = nil) {
            self.logLevel = settings.logLevel
            self.concurrency = concurrency
            self.rate = rate
        }
    }

    private let settings: OperationSettings
    private let identity: String
    private let files: [SecretFileWatch.File]
    private let rereading: @Sendable () throws -> Reread

    /// - Parameters:
    ///   - identity: The name of the process, such as `activation-worker`.
    ///   - files: The files with the login at the cluster, which are read again when they change.
    ///   - rereading: Reads the settings once more, after SIGHUP. Throws an error whose description says what is wrong.
    package init(
        _ settings: OperationSettings,
        identity: String,
        watching files: [SecretFileWatch.File],
        rereading: @escaping @Sendable () throws -> Reread
    ) {
        self.settings = settings
        self.identity = identity
        self.files = files
        self.rereading = rereading
    }

    /// Runs until SIGTERM or SIGINT has ended every service, from the last to the first. A second signal ends
    /// the process at once.
    ///
    /// - Parameter makeServices: Returns the services in the order of their starts. When any of them ends or
    ///   fails, all end as after SIGTERM.
    /// - Throws: The error of `makeServices`, or of a service.
    package func run(_ makeServices: (Surroundings) throws -> [any Service]) async throws {
        // A peer that closes its connection is an error of one call, not the end of the process.
        _ = signal(SIGPIPE, SIG_IGN)
        let level = LogLevelSwitch(Logger.Level(rawValue: self.settings.logLevel) ?? .info)
        let logger = self.logger(level)
        let desk = try OperatorDesk(keptIn: self.settings.choicesFile, level: level)
        if desk.choices != OperatorChoices() {
            let choices = try JSONLine.text(of: desk.choices)
            logger.notice("an operator's choices hold", metadata: ["choices": "\(choices)"])
        }
        let health = Health(notices: Self.serviceManager(logger))
        let registry = self.registry(showing: health)
        let server = HealthServer(
            host: self.settings.healthHost,
            port: self.settings.healthPort,
            health: health,
            registry: registry
        ) { port in
            logger.info("health and metrics", metadata: ["port": "\(port)"])
        }
        let hangUp = HangUp { self.reread(desk, logger) }
        logger.info("starting", metadata: ["version": "\(WorkerIdentity.version)"])
        let watches = SecretFileWatch.services(self.files, logger)
        let services = try makeServices(
            Surroundings(registry: registry, health: health, logger: logger, desk: desk)
        )
        let admin: [any Service] =
            self.settings.adminSocket.map {
                [
                    AdminService(
                        path: $0,
                        desk: desk,
                        level: level,
                        health: health,
                        logger: logger,
                        identity: self.identity
                    )
                ]
            } ?? []
        // Services are stopped from the last to the first: the health server answers until the work has
        // drained. A service that fails stops the others in the same way. It must not cancel them, because a
        // cancelled HTTP server traps in NIO if a connection has just come in (`NIOAsyncWriter`), and the
        // process would end by a signal instead of its exit code.
        let group = ServiceGroup(
            configuration: .init(
                services: ([ImpatientStop(), hangUp, server] + admin + watches + services).map {
                    .init(
                        service: $0,
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup
                    )
                },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        try await group.run()
    }

    /// Returns the service manager that started this process and wants to hear of it; nil if there is none.
    private static func serviceManager(_ logger: Logger) -> ServiceNotices? {
        do throws(ServiceNotices.Unusable) {
            return try ServiceNotices(environment: ProcessInfo.processInfo.environment, process: getpid())
        } catch {
            logger.warning("tells the service manager nothing", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Returns a registry with what every process shows: its version, its readiness and its resources.
    private func registry(showing health: Health) -> PrometheusRegistry {
        let registry = PrometheusRegistry()
        Self.describe(in: registry)
        ProcessMetrics.add(to: registry)
        let build = [("worker", self.identity), ("version", WorkerIdentity.version)]
        Gauge(label: "worker_build_info", dimensions: build, factory: registry).record(1)
        registry.sampleGauge("worker_ready") { health.readiness == .ready ? 1 : 0 }
        return registry
    }

    /// Sets the help texts of what every process shows.
    package static func describe(in registry: PrometheusRegistry) {
        registry.describe("worker_build_info", help: "1, with the worker's name and version as labels.")
        registry.describe(
            "worker_certificate_expires_timestamp_seconds",
            help:
                "When the certificates of a property under kafka.properties end, as the process found them at its start."
        )
        registry.describe("worker_ready", help: "1 while the worker takes work, as /readyz says.")
    }

    /// Takes over the settings that can change at run time.
    private func reread(_ desk: OperatorDesk, _ logger: Logger) {
        do {
            let settings = try self.rereading()
            try desk.settingsRead(
                level: Logger.Level(rawValue: settings.logLevel) ?? .info,
                concurrency: settings.concurrency,
                rate: settings.rate
            )
        } catch {
            return logger.error("SIGHUP changes nothing", metadata: ["error": "\(error)"])
        }
        logger.notice(
            "SIGHUP: log.level, worker.concurrency and rate.per_second are those of the settings now",
            metadata: ["else": "files of secrets are read when they change, all other settings at a restart"]
        )
    }

    private func logger(_ level: LogLevelSwitch) -> Logger {
        let hash: Redaction.KeyedHash = { key, bytes in MessageAuthentication(key: key)(bytes) }
        let redaction = self.settings.logSalt.map { Redaction(salt: $0, hash: hash) } ?? Redaction(hash: hash)
        return Logger(label: self.identity) { label in
            StructuredLogHandler(
                label: label,
                level: level,
                format: self.settings.logFormat,
                redaction: redaction
            )
        }
    }
}

/// Ends the process when it is asked to stop for the second time, because a second request means not to wait.
private struct ImpatientStop: Service {
    func run() async throws {
        var requests = 0
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint).cancelOnGracefulShutdown() {
            requests += 1
            // No record is lost: records whose offsets are not committed are delivered again.
            if requests == 2 { _exit(130) }
        }
    }
}
