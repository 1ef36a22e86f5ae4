import Logging
package import ServiceKit
import ServiceLifecycle
import UpstreamHTTP

/// A worker as a process: its services in one group, with its signals and its log.
package struct WorkerProcess: Sendable {
    private let settings: WorkerSettings
    private let handler: ErasedHandler
    private let identity: WorkerIdentity
    private let bound: RunBound
    private let rereading: @Sendable () throws -> WorkerSettings

    /// - Parameters:
    ///   - bound: The end of a run that ends by itself. By default the worker runs on.
    ///   - rereading: Reads the settings once more, after SIGHUP. By default they stay as they are.
    package init(
        settings: WorkerSettings,
        handler: ErasedHandler,
        identity: WorkerIdentity,
        bound: RunBound = RunBound(),
        rereading: (@Sendable () throws -> WorkerSettings)? = nil
    ) {
        self.rereading = rereading ?? { settings }
        self.bound = bound
        self.settings = settings
        self.handler = handler
        self.identity = identity
    }

    /// Runs until SIGTERM or SIGINT has been followed by a complete drain. A second signal ends the process
    /// at once.
    ///
    /// - Throws: `PreflightFailure` if the worker cannot start, or the error of a client that is of no use
    ///   any more.
    package func run() async throws {
        // Each slot is a call, and beside it perhaps a batch.
        let slots = self.settings.engine.concurrency
        let hasBatches = self.handler.endpoints.contains { $0.callsPerSlot > 1 }
        try DescriptorLimit.makeRoom(forCalls: hasBatches ? slots * 2 : slots)
        let surroundings = ServiceProcess(
            self.settings.operation,
            identity: self.identity.name,
            watching: self.settings.kafka.watchedFiles
        ) { [rereading = self.rereading] in
            let settings = try rereading()
            return ServiceProcess.Reread(
                settings.operation,
                concurrency: settings.engine.concurrency,
                rate: settings.engine.rate?.rate
            )
        }
        try await surroundings.run { process in
            MetricCatalogue.describe(in: process.registry)
            if let file = self.settings.http.certificateAuthorityFile {
                process.logger.notice(
                    "trusts its own authorities instead of the system's",
                    metadata: ["ca_file": "\(file)"]
                )
            }
            // The handler's services start before the engine and stop after it, so that they are there as
            // long as it is.
            let instruments = Instruments(
                registry: process.registry,
                logger: process.logger,
                http: self.settings.http
            )
            let spans = SpanQueue(registry: process.registry)
            let exporter = self.settings.tracing.url.map {
                SpanExporter(
                    spans,
                    to: $0,
                    worker: self.identity.name,
                    http: self.settings.http,
                    logger: process.logger
                )
            }
            let worker = WorkerService(
                settings: self.settings,
                handler: self.handler,
                registry: process.registry,
                health: process.health,
                logger: process.logger,
                desk: process.desk,
                bound: self.bound,
                spans: exporter == nil ? nil : spans
            )
            // The exporter stops last, so that it can send the spans of the last records.
            let exporters: [any Service] = exporter.map { [$0] } ?? []
            return exporters + self.handler.companions(instruments) + [worker]
        }
    }
}
