import ArgumentParser
import WorkerKit

/// The command `forward`, which posts accepted arrivals in batches to a statistics endpoint. It is a worker
/// of its own on the engine of calls, with its own consumer group, retries, circuit breaker and dead letters.
struct PushForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Post accepted arrivals in batches to a statistics endpoint.",
        subcommands: [
            RunCommand<PushForwardProgram>.self,
            PlanCommand<PushForwardProgram>.self,
            InterpretCommand<PushForwardProgram>.self,
            CheckConfigCommand<PushForwardProgram>.self,
        ],
        defaultSubcommand: RunCommand<PushForwardProgram>.self
    )
}
