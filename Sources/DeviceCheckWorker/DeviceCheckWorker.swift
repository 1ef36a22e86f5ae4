import ArgumentParser
import WorkerKit

/// Asks Apple about the two bits of a device, sets them, and publishes what came of each.
@main
struct DeviceCheckWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devicecheck-worker",
        abstract: "Query, update and validate with Apple's DeviceCheck and publish what came of each.",
        version: WorkerIdentity.version,
        subcommands: [
            RunCommand<DeviceCheckProgram>.self,
            PlanCommand<DeviceCheckProgram>.self,
            InterpretCommand<DeviceCheckProgram>.self,
            CheckConfigCommand<DeviceCheckProgram>.self,
        ],
        defaultSubcommand: RunCommand<DeviceCheckProgram>.self
    )
}
