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
        let kafka = settings.kafka
        for warning in kafka.certificates.warnings(at: Moment.now.wall / 1_000) {
            StandardStreams.printLine("note: \(warning)")
        }
        return try ClusterLook.faults(of: kafka) { cluster in try self.look(&cluster, settings) }
    }

    /// Asks the cluster what a worker that starts asks it.
    private func look(_ cluster: inout ClusterLook, _ settings: WorkerSettings) throws {
        let longest = Duration.seconds(self.wait)
        var check = Preflight(settings.engine)
        let metadata = try cluster.broker.consumer.metadata(atMost: longest)
        check.meet(metadata)
        cluster.faults = check.faults(in: metadata)
        guard cluster.faults.isEmpty else { return }
        let outlook = check.outlook(
            try cluster.notes.settings(of: check.describedTopics, cluster.broker, atMost: longest)
        )
        for warning in outlook.warnings + outlook.notes { StandardStreams.printLine("note: \(warning)") }
        cluster.faults = outlook.faults
        let rights = RightsCheck(settings.kafka, of: cluster.broker, notes: cluster.notes, atMost: longest)
        try rights.check(settings.rights(check))
    }
}
