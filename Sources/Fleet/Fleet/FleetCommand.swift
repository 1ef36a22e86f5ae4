package import ArgumentParser
import ServiceKit

/// The program `fleet`: the operator's command for records and settings of a running fleet.
package struct FleetCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Operate a fleet: see how workers are, give orders, find records, check settings.",
        version: WorkerIdentity.version,
        subcommands: [
            PublishCommand.self, ReadCommand.self, PreflightCommand.self, TopicsCommand.self,
            StatusCommand.self, TraceCommand.self, DoctorCommand.self, AdminCommand.self, TryCommand.self,
        ]
    )

    package init() {}
}
