package import ArgumentParser
import ServiceKit
package import WorkerKit

/// The program of a shell, with the commands that the workers of this package have.
package struct ShellCommand<P: WorkerProgram>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: P.identity.name,
            abstract: "Take records from a topic, call an upstream for each, and publish what came of each.",
            version: WorkerIdentity.version,
            subcommands: [
                RunCommand<P>.self, PlanCommand<P>.self, InterpretCommand<P>.self,
                CheckConfigCommand<P>.self, ShellPreflightCommand<P>.self,
            ],
            defaultSubcommand: RunCommand<P>.self
        )
    }

    package init() {}
}
