import ArgumentParser
import DeadLetterPages
import DeadLetters
import Foundation
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import Terminal
import UnixSignals

/// `dead-letters serve`: serves the web pages until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
    /// The answer to SIGHUP.
    private static let hangUp =
        "SIGHUP is ignored: files of logins, of serve's secrets and of certificates are read when they change, all else at a restart"

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show the dead letters as web pages, for those who would rather look.",
        discussion: """
            On 127.0.0.1 unless the settings say otherwise; beyond this machine only with TLS, or behind a proxy that has \
            a token (serve.tls_certificate_file and serve.tls_key_file, or serve.proxy_token). Ends with SIGTERM or \
            Ctrl-C; a replay that is running stops between two records.
            """
    )

    @OptionGroup var options: DeskOptions

    @Option(help: "An address of this machine.")
    var host: String?

    @Option(help: "0 takes any free one.")
    var port: Int?

    @Option(help: "Write the pages' address to this file as soon as they are served.", completion: .file())
    var readyFile: String?

    func validate() throws {
        guard (0...65_535).contains(self.port ?? 0) else { throw ValidationError("--port is at most 65535.") }
    }

    func run() async throws {
        try await self.complaining {
            let settings = try self.options.loaded()
            var pages = settings.serve.pages(localUser: settings.desk.user)
            if let host { pages.host = host }
            if let port { pages.port = port }
            let readyFile = self.readyFile
            let served = pages
            let now: @Sendable () -> Int64 = { Timestamp.now.millisecondsSince1970 }
            // A refresh waits for the cluster, and for a look through all letters that somebody has asked for.
            let patience = settings.desk.patience + .seconds(900)
            let health = Health(longestSilence: settings.serve.refresh + patience)
            let registry = PrometheusRegistry()
            ProcessMetrics.add(to: registry)
            let server = try PagesServer(
                pages,
                desk: settings.desk,
                environment: ProcessInfo.processInfo.environment,
                now: now,
                metrics: PagesMetrics(in: registry, health: health, now: now),
                listening: { port in
                    health.become(.ready)
                    let address = served.address(port: port)
                    Console.line(address)
                    guard let readyFile else { return }
                    let file = URL(fileURLWithPath: readyFile)
                    do {
                        try Data("\(address)\n".utf8).write(to: file, options: .atomic)
                    } catch {
                        Console.complain("cannot write \(readyFile): \(error.localizedDescription)")
                    }
                }
            )
            let servers: [any Service] =
                settings.serve.healthPort.map {
                    [
                        HealthServer(
                            host: "0.0.0.0",
                            port: $0,
                            setting: "serve.health_port",
                            health: health,
                            registry: registry
                        )
                    ]
                } ?? []
            var logger = Logger(label: "dead-letters")
            logger.logLevel = .critical
            let notices = Logger(label: "dead-letters") { StreamLogHandler.standardError(label: $0) }
            let watches = SecretFileWatch.services(settings.loginFiles + server.watchedFiles, notices)
            try await ServiceGroup(
                services: [HangUp { Console.complain(Self.hangUp) }] + servers + watches + [server],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            ).run()
        }
    }
}
