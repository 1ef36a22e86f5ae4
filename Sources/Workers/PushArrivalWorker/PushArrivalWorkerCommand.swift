package import ArgumentParser
import ServiceKit
import WorkerKit

/// The program `push-arrival-worker`: it turns the reports of notification service extensions into arrival
/// records and live statistics.
package struct PushArrivalWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "push-arrival-worker",
        abstract: "Turn reports of pushes into deduplicated arrival records and live statistics.",
        version: WorkerIdentity.version,
        subcommands: [
            RunPushArrivalCommand.self,
            CheckConfigCommand<PushArrivalProgram>.self,
            PushForwardCommand.self,
        ],
        defaultSubcommand: RunPushArrivalCommand.self
    )

    package init() {}
}
