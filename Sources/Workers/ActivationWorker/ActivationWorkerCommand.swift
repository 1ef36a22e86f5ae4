import ActivationIntake
package import ArgumentParser
import ServiceKit
import WorkerKit

/// The program `activation-worker`: it reports conversions of apps to GDT and publishes the result of each.
package struct ActivationWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "activation-worker",
        abstract: "Report app conversions to GDT (Tencent Ads) and publish what came of each.",
        version: WorkerIdentity.version,
        subcommands: [
            RunCommand<ActivationProgram>.self,
            PlanCommand<ActivationProgram>.self,
            InterpretCommand<ActivationProgram>.self,
            CheckConfigCommand<ActivationProgram>.self,
            IntakeCommand<StandardIntake>.self,
        ],
        defaultSubcommand: RunCommand<ActivationProgram>.self
    )

    package init() {}
}
