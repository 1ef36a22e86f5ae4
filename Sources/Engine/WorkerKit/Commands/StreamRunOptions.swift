package import ArgumentParser
import Operations
package import ServiceKit

/// The options of `run` of a worker whose work is a state, and what each such command does around its work.
package struct StreamRunOptions: ParsableArguments {
    @OptionGroup package var file: SettingsFileOption

    @OptionGroup var restarts: RestartOptions

    @Option(
        help: ArgumentHelp(
            "Process so many records and no more, and stop as if told to once they are committed.",
            valueName: "records"
        )
    )
    var stopAfter: Int?

    @Flag(help: "Print a line of JSON at the end: records, seconds, and CPU time per record.")
    var summary = false

    package init() {}

    package func validate() throws {
        guard self.stopAfter ?? 1 > 0 else { throw ValidationError("--stop-after is at least 1.") }
    }

    /// Reads the settings and runs the worker, in a child that is started again after a crash if that was
    /// asked for.
    ///
    /// - Throws: `ExitCode`; the failure was then told on standard error.
    package func run<Settings>(
        _ name: String,
        load: (String?) throws -> (settings: Settings, warnings: [String]),
        body: (Settings, RunBound) async throws -> Void
    ) async throws {
        try self.restarts.superviseIfAsked(identity: name)
        do {
            let (settings, warnings) = try load(self.file.path)
            for warning in warnings { StandardStreams.complain(warning) }
            let report: @Sendable (String) -> Void = { StandardStreams.printLine($0) }
            try await body(settings, RunBound(records: self.stopAfter, report: self.summary ? report : nil))
        } catch {
            StandardStreams.complain("\(name): \(error)")
            throw ExitCode(1)
        }
    }
}
