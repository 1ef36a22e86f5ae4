import EventThread
import Kafka
package import Logging
import ServiceLifecycle

/// Puts every snapshot of the statistics topic on a board: those that are there, and then those that come, until its
/// service group tells it to stop.
///
/// It joins no group and commits nothing, and reads committed records only. Whatever the cluster does, it goes on
/// trying.
package struct StatisticsReader: Service {
    private let topic: String
    private let properties: [String: String]
    private let history: Int64
    private let board: StatisticsBoard
    private let standing: ReadingStanding
    private let logger: Logger
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - properties: librdkafka's, for the brokers and how to speak to them. Those of a group are not used.
    ///   - history: of each partition, the last so many offsets are read at start. Compacted ones count.
    ///   - now: wall-clock milliseconds since 1970.
    package init(
        topic: String,
        properties: [String: String],
        history: Int,
        board: StatisticsBoard,
        standing: ReadingStanding,
        logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        self.topic = topic
        self.properties = Self.readerProperties(properties)
        self.history = Int64(max(1, history))
        self.board = board
        self.standing = standing
        self.logger = logger
        self.now = now
    }

    private static func readerProperties(_ properties: [String: String]) -> [String: String] {
        let ofOthers = ["group.id", "group.instance.id", "transactional.id", "client.rack"]
        let own = [
            "isolation.level": "read_committed",
            // Compaction and retention may take the very offset that was asked for.
            "auto.offset.reset": "earliest",
            "enable.auto.commit": "false",
        ]
        return properties.filter { !ofOthers.contains($0.key) }.merging(own) { $1 }
    }

    /// Never throws for what the cluster does.
    package func run() async throws {
        let stop = StopSign()
        let reader = self
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await EventThread.run { reader.read(until: stop) }
        } onCancelOrGracefulShutdown: {
            stop.raise()
        }
    }

    private func read(until stop: StopSign) {
        do {
            let log = try LogReader(self.properties)
            let course = ReadingCourse(
                log: log,
                topic: self.topic,
                history: self.history,
                board: self.board,
                standing: self.standing,
                logger: self.logger,
                now: self.now
            )
            course.run(until: stop)
        } catch {
            // Of a property that librdkafka does not take. The worker itself is none the worse for it.
            _ = self.standing.failed(because: "\(error)")
            self.logger.error("the statistics cannot be read", metadata: ["error": "\(error)"])
            var wait = Wait(on: [stop.descriptor])
            while !stop.isRaised { wait(atMost: .seconds(3_600)) }
        }
    }
}
