package import ArgumentParser
import Foundation
import ServiceKit

/// The command `run`, which consumes until it is told to stop. It exits with 0 after a complete drain, and
/// with 1 when something is wrong.
package struct RunCommand<P: WorkerProgram>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "run",
            abstract: "Consume records until SIGTERM; drain, commit and leave the group, then exit 0."
        )
    }

    @OptionGroup package var file: SettingsFileOption

    @OptionGroup package var restarts: RestartOptions

    @OptionGroup package var bounds: BoundOptions

    package init() {}

    /// Runs the worker, or supervises a child that does.
    ///
    /// - Throws: `ExitCode` 1 when something is wrong, or the exit code of a supervised child.
    package func run() async throws {
        try self.restarts.superviseIfAsked(identity: P.identity.name)
        let program: LoadedProgram<P>
        do {
            program = try LoadedProgram<P>(path: self.file.path)
        } catch {
            StandardStreams.complain("\(error)")
            throw ExitCode(1)
        }
        for warning in program.warnings { StandardStreams.complain(warning) }
        let process = WorkerProcess(
            settings: program.settings,
            handler: ErasedHandler(program.handler),
            identity: P.identity,
            bound: self.bounds.bound
        ) { [path = self.file.path] in try LoadedProgram<P>(path: path).settings }
        do {
            try await process.run()
        } catch {
            StandardStreams.complain("\(P.identity.name): \(error)")
            throw ExitCode(1)
        }
    }
}

/// The option `--config`, which every command has.
package struct SettingsFileOption: ParsableArguments {
    @Option(
        name: [.customLong("config"), .customShort("c")],
        help: "The settings, a YAML file. The environment comes before it."
    )
    package var path: String?

    package init() {}
}
