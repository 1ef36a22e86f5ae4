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

    @Option(
        help: ArgumentHelp(
            "Take in so many records and no more, and stop as if told to once they are settled.",
            discussion: "A record that waits for a retry or for its lane is waited for; SIGTERM ends it.",
            valueName: "records"
        )
    )
    package var stopAfter: Int?

    @Flag(help: "Print a line of JSON at the end: records, seconds, and CPU time per record.")
    package var summary = false

    package init() {}

    package func validate() throws {
        guard self.stopAfter ?? 1 > 0 else { throw ValidationError("--stop-after is at least 1.") }
    }

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
        let report: @Sendable (String) -> Void = { StandardStreams.printLine($0) }
        let process = WorkerProcess(
            settings: program.settings,
            handler: ErasedHandler(program.handler),
            identity: P.identity,
            bound: RunBound(records: self.stopAfter, report: self.summary ? report : nil)
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
