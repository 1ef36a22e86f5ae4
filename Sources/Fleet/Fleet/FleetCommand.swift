package import ArgumentParser
import ServiceKit

/// The program `fleet`: the operator's command for records and settings of a running fleet.
package struct FleetCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract:
            "Publish and read records of a fleet, make its topics, and check a worker's settings before it starts.",
        version: WorkerIdentity.version,
        subcommands: [
            PublishCommand.self, ReadCommand.self, PreflightCommand.self, TopicsCommand.self,
            StatusCommand.self, TraceCommand.self, DoctorCommand.self,
        ]
    )

    package init() {}
}
