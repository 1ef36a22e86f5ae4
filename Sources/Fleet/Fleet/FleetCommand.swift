package import ArgumentParser
import ServiceKit

/// The program `fleet`: the operator's command for records and settings of a running fleet.
package struct FleetCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Operate a fleet: see how its workers are, find a record, make topics, check settings.",
        version: WorkerIdentity.version,
        subcommands: [
            PublishCommand.self, ReadCommand.self, PreflightCommand.self, TopicsCommand.self,
            StatusCommand.self, TraceCommand.self, DoctorCommand.self, TryCommand.self,
        ]
    )

    package init() {}
}
