import EventThread
import Kafka
package import Logging
package import Operations
import ServiceLifecycle

/// A reader that puts the records of the statistics topic on a board, first the existing ones and then each
/// new one, until its service group shuts down.
///
/// The reader joins no consumer group, commits no offsets, and reads only records of committed transactions.
/// It retries after every failure of the cluster.
package struct StatisticsReader: Service {
    private let topic: String
    private let properties: [String: String]
    private let history: Int64
    private let board: StatisticsBoard
    private let standing: ReadingStanding
    private let registry: PrometheusRegistry
    private let logger: Logger
    private let now: @Sendable () -> Int64

    /// Creates a reader. It starts with `run()`.
    ///
    /// - Parameters:
    ///   - topic: the topic of the statistics.
    ///   - properties: librdkafka's properties for the connection to the brokers. Properties of a consumer
    ///     group are ignored.
    ///   - history: the number of offsets that are read at start, counted back from the end of each
    ///     partition. Offsets that compaction has removed count, too.
    ///   - board: gets the statistics.
    ///   - standing: gets the state of the reading.
    ///   - registry: gets the number of segments at which fewer pushes arrive.
    ///   - logger: gets a line when the reading fails and when it works again, and for each such segment.
    ///   - now: returns the wall-clock time in milliseconds since 1970.
    package init(
        topic: String,
        properties: [String: String],
        history: Int,
        board: StatisticsBoard,
        standing: ReadingStanding,
        registry: PrometheusRegistry,
        logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        self.topic = topic
        self.properties = Self.readerProperties(properties)
        self.history = Int64(max(1, history))
        self.board = board
        self.standing = standing
        self.registry = registry
        self.logger = logger
        self.now = now
    }

    /// Returns the worker's properties without those that belong to its own group or producer, and with those
    /// of a reader.
    private static func readerProperties(_ properties: [String: String]) -> [String: String] {
        let ofOthers = ["group.id", "group.instance.id", "transactional.id", "client.rack"]
        let own = [
            "isolation.level": "read_committed",
            // Compaction or retention may have removed the very offset at which the reader starts.
            "auto.offset.reset": "earliest",
            "enable.auto.commit": "false",
        ]
        return properties.filter { !ofOthers.contains($0.key) }.merging(own) { $1 }
    }

    /// Reads until the service group shuts down. Failures of the cluster are logged and never thrown.
    package func run() async throws {
        let stop = StopSign()
        let reader = self
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await EventThread.run { reader.read(until: stop) }
        } onCancelOrGracefulShutdown: {
            stop.raise()
        }
    }

    /// Reads on the calling thread until `stop` is raised.
    private func read(until stop: StopSign) {
        do {
            let log = try LogReader(self.properties)
            let course = ReadingCourse(
                log: log,
                topic: self.topic,
                history: self.history,
                board: self.board,
                standing: self.standing,
                watch: SegmentWatch(registry: self.registry, logger: self.logger),
                logger: self.logger,
                now: self.now
            )
            course.run(until: stop)
        } catch {
            // librdkafka has rejected a property. The worker runs on, only the dashboard gets no statistics.
            _ = self.standing.failed(because: "\(error)")
            self.logger.error("the statistics cannot be read", metadata: ["error": "\(error)"])
            var wait = Wait(on: [stop.descriptor])
            while !stop.isRaised { wait(atMost: .seconds(3_600)) }
        }
    }
}
