package import ArgumentParser
import Kafka
import ServiceKit
package import WorkerKit

/// The command `preflight` of a shell, which checks whether its cluster has what the worker needs.
package struct ShellPreflightCommand<P: WorkerProgram>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "preflight",
            abstract:
                "Say everything that would keep the worker from starting on its cluster; exit 1 if there is something."
        )
    }

    @OptionGroup package var file: SettingsFileOption

    @Option(help: ArgumentHelp("How long the cluster may take to answer.", valueName: "seconds"))
    package var wait = 10

    package init() {}

    package func validate() throws {
        guard (1...600).contains(self.wait) else { throw ValidationError("--wait is from 1 to 600 seconds.") }
    }

    /// Prints the faults, or that there are none.
    ///
    /// - Throws: `ExitCode` 1 if there is a fault.
    package func run() throws {
        let program: LoadedProgram<P>
        do {
            program = try LoadedProgram<P>(path: self.file.path)
        } catch {
            StandardStreams.complain("\(error)")
            throw ExitCode(1)
        }
        let faults = try self.faults(of: program.settings)
        guard faults.isEmpty else {
            for fault in faults { StandardStreams.printLine(fault) }
            throw ExitCode(1)
        }
        StandardStreams.printLine("\(P.identity.name) would start: its cluster answers and has its topics")
    }

    private func faults(of settings: WorkerSettings) throws -> [String] {
        // The client's own log is turned off: if no broker answers, the sentence below says so.
        let properties = settings.kafka.consumerProperties().merging(["log_level": "0"]) { $1 }
        let consumer = try Consumer(properties)
        var check = Preflight(settings.engine)
        do throws(KafkaError) {
            let cluster = try consumer.metadata(atMost: .seconds(self.wait))
            check.meet(cluster)
            let faults = check.faults(in: cluster)
            guard faults.isEmpty else { return faults }
            let outlook = check.outlook(
                try consumer.settings(of: check.describedTopics, atMost: .seconds(self.wait))
            )
            for warning in outlook.warnings + outlook.notes { StandardStreams.printLine("note: \(warning)") }
            return outlook.faults
        } catch {
            return ["kafka.brokers: no answer from \(settings.kafka.brokers): \(error.message)."]
        }
    }
}
