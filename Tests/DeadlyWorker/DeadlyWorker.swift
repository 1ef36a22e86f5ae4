import ArgumentParser
import WorkerKit

/// A worker that some records kill, for tests of what comes after that. It calls no upstream.
@main
struct DeadlyWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "DeadlyWorker",
        subcommands: [RunCommand<DeadlyProgram>.self],
        defaultSubcommand: RunCommand<DeadlyProgram>.self
    )
}
