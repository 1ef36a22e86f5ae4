import ArgumentParser
import Logging
import Operations
import PushArrivalPages
import ServiceKit
import ServiceLifecycle
import StreamKit
import WorkerKit

/// The command `run`, which consumes until it gets a signal. It exits with 0 after the last transaction, and
/// with 1 after a failure.
struct RunPushArrivalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Consume events until SIGTERM; commit, leave the group, then exit 0."
    )

    @OptionGroup var options: StreamRunOptions

    func run() async throws {
        try await self.options.run(PushArrivalProgram.identity.name, load: PushArrivalProgram.load) {
            try await self.run($0, bound: $1)
        }
    }

    private func run(_ settings: PushArrivalSettings, bound: RunBound) async throws {
        let process = ServiceProcess(
            settings.operation,
            identity: PushArrivalProgram.identity.name,
            watching: settings.kafka.watchedFiles
        ) { [path = self.options.file.path] in
            ServiceProcess.Reread(try PushArrivalProgram.load(path: path).settings.operation)
        }
        try await process.run { surroundings in
            PushMetrics.describe(in: surroundings.registry)
            let stream = StreamService(
                kafka: settings.kafka,
                settings: settings.stream,
                surroundings: surroundings,
                bound: bound,
                describedTopics: PushTopics(settings).described,
                rights: PushTopics(settings).rights
            ) { cluster in
                let topics = PushTopics(settings)
                try topics.check(cluster)
                if let growth = topics.growth(in: cluster) { surroundings.logger.warning("\(growth)") }
                return PushApplication(
                    settings,
                    cluster,
                    metrics: PushMetrics(factory: surroundings.registry)
                )
            }
            let dashboard = settings.dashboard?.services(
                topic: settings.topics.statistics,
                kafkaProperties: settings.kafka.readerProperties,
                registry: surroundings.registry,
                logger: surroundings.logger
            )
            return (dashboard ?? []) + [stream]
        }
    }
}
