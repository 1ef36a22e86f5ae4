package import ArgumentParser
import Operations
import ServiceKit
import WorkerKit

/// The program `gateway`: a small HTTP edge that publishes what phones and ad platforms send.
package struct GatewayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Publish SDK uploads, push reports and clicks that come in over HTTP.",
        version: WorkerIdentity.version,
        subcommands: [RunGatewayCommand.self, CheckConfigCommand<GatewayProgram>.self],
        defaultSubcommand: RunGatewayCommand.self
    )

    package init() {}
}

/// The command `run`, which serves until it gets a signal. It exits with 0 after the last answer, and with 1
/// after a failure.
struct RunGatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serve until SIGTERM; answer what is in hand, then exit 0."
    )

    @OptionGroup var file: SettingsFileOption

    @OptionGroup var restarts: RestartOptions

    func run() async throws {
        try self.restarts.superviseIfAsked(identity: GatewayProgram.name)
        do {
            let (settings, warnings) = try GatewayProgram.load(path: self.file.path)
            for warning in warnings { StandardStreams.complain(warning) }
            try DescriptorLimit.makeRoom(
                forConnections: 2 * settings.connections,
                setting: "gateway.connections"
            )
            let process = ServiceProcess(
                settings.operation,
                identity: GatewayProgram.name,
                watching: settings.loginFiles
            ) { [path = self.file.path] in
                ServiceProcess.Reread(try GatewayProgram.load(path: path).settings.operation)
            }
            try await process.run { surroundings in
                GatewayMetrics.describe(in: surroundings.registry)
                return try Gateway(
                    settings,
                    registry: surroundings.registry,
                    health: surroundings.health,
                    logger: surroundings.logger
                ).services
            }
        } catch {
            StandardStreams.complain("\(GatewayProgram.name): \(error)")
            throw ExitCode(1)
        }
    }
}
