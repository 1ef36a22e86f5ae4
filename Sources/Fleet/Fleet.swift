import ArgumentParser
import WorkerKit

/// The command `fleet`: all tools for running a fleet on one machine.
@main
struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract:
            "Run a fleet on one machine: a broker, the upstreams, records in and out, and a demo of it all.",
        version: WorkerIdentity.version,
        subcommands: [
            DemoCommand.self, ChaosCommand.self, BrokerCommand.self, UpstreamsCommand.self,
            PublishCommand.self, ReadCommand.self, PreflightCommand.self, SimulateCommand.self,
            BenchCommand.self, CostCommand.self, VerifyBenchCommand.self, LeashCommand.self,
            LettersCommand.self, PushesCommand.self, PushCostCommand.self,
        ]
    )
}
