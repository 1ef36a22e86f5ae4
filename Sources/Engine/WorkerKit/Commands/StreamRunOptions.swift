package import ArgumentParser
import Operations
package import ServiceKit

/// The options of `run` of a worker whose work is a state, and what each such command does around its work.
package struct StreamRunOptions: ParsableArguments {
    @OptionGroup package var file: SettingsFileOption

    @OptionGroup var restarts: RestartOptions

    @OptionGroup var bounds: BoundOptions

    package init() {}

    /// Whether the run has no point at which reading ends.
    package var readsAll: Bool { self.bounds.until == nil }

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
            try await body(settings, self.bounds.bound)
        } catch {
            StandardStreams.complain("\(name): \(error)")
            throw ExitCode(1)
        }
    }
}
