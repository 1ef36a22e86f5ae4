import ArgumentParser
import WorkerKit

/// `forward`: posts accepted arrivals, in batches, to a statistics endpoint. A worker of its own on the engine of the
/// fleet, with its own group, retries, circuit breaker and dead letters.
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
