package import ArgumentParser

/// The command `check-config`, which reports every fault of the settings, one line each with its place.
package struct CheckConfigCommand<P: ConfiguredProgram>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "check-config",
            abstract: "Say every fault of a settings file with its line; exit 1 if there is one."
        )
    }

    @Argument(help: "The settings, a YAML file; without one, the environment alone.")
    package var path: String?

    @OptionGroup package var file: SettingsFileOption

    @Flag(help: "Also list every setting there is, with its type, default and meaning.")
    package var list = false

    package init() {}

    package func validate() throws {
        guard self.path == nil || self.file.path == nil else {
            throw ValidationError("One file at a time: a path, or --config.")
        }
    }

    /// Prints the faults, or that there are none.
    ///
    /// - Throws: `ExitCode` 1 if there is a fault.
    package func run() throws {
        if self.list { StandardStreams.printLine(P.settingsTable) }
        do {
            let path = self.path ?? self.file.path
            for warning in try P.check(path: path) { StandardStreams.complain(warning) }
            StandardStreams.printLine("\(path ?? "the environment"): no faults")
        } catch {
            StandardStreams.complain("\(error)")
            throw ExitCode(1)
        }
    }
}
