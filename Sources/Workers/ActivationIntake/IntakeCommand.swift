package import ArgumentParser
import Operations
import ServiceKit
import StreamKit
import WorkerKit

/// The command `intake`, which stands before the worker that reports activations: it takes uploads of SDKs,
/// clicks and activations, and passes on what is to be reported. It is a worker of its own with its own
/// consumer group.
package struct IntakeCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "intake",
        abstract: "Take SDK uploads, match clicks and drop duplicates, before activations are reported.",
        subcommands: [RunIntakeCommand.self, CheckConfigCommand<IntakeProgram>.self],
        defaultSubcommand: RunIntakeCommand.self
    )

    package init() {}
}

/// The command `intake run`, which consumes until it gets a signal. It exits with 0 after the last
/// transaction, and with 1 after a failure.
struct RunIntakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Consume until SIGTERM; commit, leave the group, then exit 0."
    )

    @OptionGroup var options: StreamRunOptions

    func run() async throws {
        try await self.options.run(IntakeProgram.identity.name, load: IntakeProgram.load) { settings, bound in
            let process = ServiceProcess(settings.operation, identity: IntakeProgram.identity.name)
            try await process.run { surroundings in
                IntakeMetrics.describe(in: surroundings.registry)
                let stream = StreamService(
                    kafka: settings.kafka,
                    settings: settings.stream,
                    surroundings: surroundings,
                    bound: bound,
                    describedTopics: settings.topics.roles(of: settings).map(\.topic)
                ) { cluster in
                    try settings.topics.check(cluster, settings)
                    return IntakeApplication(
                        settings,
                        cluster,
                        metrics: IntakeMetrics(factory: surroundings.registry)
                    )
                }
                return [stream]
            }
        }
    }
}
