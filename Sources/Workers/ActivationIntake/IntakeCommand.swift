package import ArgumentParser
import Logging
import Operations
import ServiceKit
import StreamKit
import WorkerKit

/// The command `intake`, which stands before the worker that reports activations: it takes uploads of SDKs,
/// clicks and activations, and passes on what is to be reported. It is a worker of its own with its own
/// consumer group.
package struct IntakeCommand<Parts: IntakeParts>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "intake",
            abstract: "Take SDK uploads, match clicks and drop duplicates, before activations are reported.",
            subcommands: [RunIntakeCommand<Parts>.self, CheckConfigCommand<IntakeProgram<Parts>>.self],
            defaultSubcommand: RunIntakeCommand<Parts>.self
        )
    }

    package init() {}
}

/// The command `intake run`, which consumes until it gets a signal. It exits with 0 after the last
/// transaction, and with 1 after a failure.
struct RunIntakeCommand<Parts: IntakeParts>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "run",
            abstract: "Consume until SIGTERM; commit, leave the group, then exit 0."
        )
    }

    @OptionGroup var options: StreamRunOptions

    func validate() throws {
        guard self.options.readsAll else {
            throw ValidationError(
                "--until is not for the intake: it reads each activation twice, and the second time from a topic of its own."
            )
        }
    }

    func run() async throws {
        let name = WorkerIdentity.activationIntake.name
        try await self.options.run(name, load: IntakeProgram<Parts>.load) { settings, bound in
            let process = ServiceProcess(
                settings.operation,
                identity: name,
                watching: settings.kafka.watchedFiles
            ) { [path = self.options.file.path] in
                ServiceProcess.Reread(try IntakeProgram<Parts>.load(path: path).settings.operation)
            }
            try await process.run { surroundings in
                IntakeMetrics.describe(in: surroundings.registry)
                surroundings.logger.notice(
                    "activations go on to activation-worker run, whose kafka.topic is this one",
                    metadata: ["topic": "\(settings.topics.due)"]
                )
                let stream = StreamService(
                    kafka: settings.kafka,
                    settings: settings.stream,
                    surroundings: surroundings,
                    bound: bound,
                    describedTopics: IntakePreflight(settings).describedTopics,
                    rights: IntakePreflight(settings).rights
                ) { cluster in
                    try IntakePreflight(settings).check(cluster, surroundings.logger)
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
