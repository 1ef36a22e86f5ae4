package import ArgumentParser
import ServiceKit
import WorkerKit

/// The program `receipt-worker`: it verifies purchases in Apple's store and publishes the result of each.
package struct ReceiptWorkerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "receipt-worker",
        abstract: "Verify purchases in Apple's store and publish what came of each.",
        version: WorkerIdentity.version,
        subcommands: [
            RunCommand<ReceiptProgram>.self,
            PlanCommand<ReceiptProgram>.self,
            InterpretCommand<ReceiptProgram>.self,
            CheckConfigCommand<ReceiptProgram>.self,
        ],
        defaultSubcommand: RunCommand<ReceiptProgram>.self
    )

    package init() {}
}
