package import ArgumentParser
import ServiceKit

/// The program `flotilla-lab`: a fleet on one machine, with everything that only tests, tries and measures.
package struct FlotillaLabCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "flotilla-lab",
        abstract: "Run a fleet on one machine: a broker, the upstreams, a demo, trials and measurements.",
        version: WorkerIdentity.version,
        subcommands: [
            TryCommand.self, DemoCommand.self, ChaosCommand.self, BrokerCommand.self, UpstreamsCommand.self,
            CollectorCommand.self,
            SimulateCommand.self,
            BenchCommand.self, CostCommand.self, VerifyBenchCommand.self, UploadBenchCommand.self,
            LeashCommand.self,
            LettersCommand.self,
            PushesCommand.self, PushCostCommand.self,
        ]
    )

    package init() {}
}
