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

    @OptionGroup var file: SettingsFileOption

    @OptionGroup var restarts: RestartOptions

    @Option(
        help: ArgumentHelp(
            "Process so many records and no more, and stop as if told to once they are committed.",
            valueName: "records"
        )
    )
    var stopAfter: Int?

    @Flag(help: "Print a line of JSON at the end: records, seconds, and CPU time per record.")
    var summary = false

    func validate() throws {
        guard self.stopAfter ?? 1 > 0 else { throw ValidationError("--stop-after is at least 1.") }
    }

    func run() async throws {
        try self.restarts.superviseIfAsked(identity: PushArrivalProgram.identity.name)
        do {
            let (settings, warnings) = try PushArrivalProgram.load(path: self.file.path)
            for warning in warnings { StandardStreams.complain(warning) }
            try await self.run(settings)
        } catch {
            StandardStreams.complain("\(PushArrivalProgram.identity.name): \(error)")
            throw ExitCode(1)
        }
    }

    private func run(_ settings: PushArrivalSettings) async throws {
        let report: @Sendable (String) -> Void = { StandardStreams.printLine($0) }
        let bound = RunBound(records: self.stopAfter, report: self.summary ? report : nil)
        let process = ServiceProcess(settings.operation, identity: PushArrivalProgram.identity.name)
        try await process.run { surroundings in
            PushMetrics.describe(in: surroundings.registry)
            let stream = StreamService(
                kafka: settings.kafka,
                settings: settings.stream,
                surroundings: surroundings,
                bound: bound,
                describedTopics: PushTopics(settings).described
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
                logger: surroundings.logger
            )
            return (dashboard ?? []) + [stream]
        }
    }
}
