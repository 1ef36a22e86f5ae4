import Logging
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
        try DescriptorLimit.makeRoom(forCalls: self.settings.engine.concurrency)
        try await ServiceProcess(self.settings.operation, identity: self.identity.name).run { process in
            MetricCatalogue.describe(in: process.registry)
            if let file = self.settings.http.certificateAuthorityFile {
                process.logger.notice(
                    "trusts its own authorities instead of the system's",
                    metadata: ["ca_file": "\(file)"]
                )
            }
            // Before the engine, so that they are there as long as it is.
            let surroundings = Surroundings(registry: process.registry, logger: process.logger)
            let worker = WorkerService(
                settings: self.settings,
                handler: self.handler,
                registry: process.registry,
                health: process.health,
                logger: process.logger,
                bound: self.bound
            )
            return self.handler.companions(surroundings) + [worker]
        }
    }
}
