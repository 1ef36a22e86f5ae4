package import ArgumentParser
import ServiceKit
import WorkerKit

/// The program `devicecheck-worker`: it reads and sets the two bits that Apple keeps for a device, validates
/// device tokens, and publishes the result of each operation.
package struct DeviceCheckWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
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

    package init() {}
}
