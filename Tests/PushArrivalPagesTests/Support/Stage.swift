import EmbeddedBroker
import EventThread
import Kafka
import Logging
import Operations
import PushArrivalPages
import Records
import ServiceLifecycle
import Testing
import WorkerTestSupport

/// The pages on a port of their own, for the time of a test; with a reader before them if there is a broker.
struct Stage: Sendable {
    let board: StatisticsBoard
    let standing: ReadingStanding
    let port: Int

    static func run(
        _ settings: DashboardSettings = DashboardSettings(port: 0),
        reading broker: EmbeddedBroker? = nil,
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let (board, standing) = (StatisticsBoard(limit: settings.messages), ReadingStanding())
        let (ports, port) = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        let server = DashboardServer(
            settings,
            topic: Samples.topic,
            board: board,
            standing: standing,
            logger: logger,
            now: { Samples.now },
            listening: { port.yield($0) }
        )
        var all: [any Service] = [server]
        if let broker {
            all.insert(Self.reader(of: broker, board, standing, history: settings.history), at: 0)
        }
        let services = ServiceGroup(services: all, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await services.run()
            }
            group.addTask {
                for await port in ports {
                    let stage = Stage(board: board, standing: standing, port: port)
                    let result = await Self.result { try await body(stage) }
                    await services.triggerGracefulShutdown()
                    return try result.get()
                }
            }
            try await group.waitForAll()
        }
    }

    private static func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    static func reader(
        of broker: EmbeddedBroker,
        _ board: StatisticsBoard,
        _ standing: ReadingStanding,
        history: Int = 1_000_000,
        logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    ) -> StatisticsReader {
        StatisticsReader(
            topic: Samples.topic,
            properties: [
                "bootstrap.servers": broker.address, "fetch.wait.max.ms": "5",
                "reconnect.backoff.max.ms": "100",
                // The worker's own ids, which must not make the reader a member of anything.
                "group.id": "the-worker", "group.instance.id": "one",
            ],
            history: history,
            board: board,
            standing: standing,
            registry: PrometheusRegistry(),
            logger: logger,
            now: { Samples.now }
        )
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> PlainHTTP.Answer {
        try await PlainHTTP(port: self.port).request(
            "GET",
            path,
            headers: ["Host": "127.0.0.1:\(self.port)"].merging(headers) { $1 }
        )
    }

    /// Asks again until a page says all this, or the time is up.
    func page(_ path: String, with texts: String...) async throws -> String {
        try await self.page(path) { page in texts.allSatisfy { page.contains($0) } }
    }

    /// Asks again until a page is like this, or the time is up.
    func page(
        _ path: String,
        once isThere: @Sendable (String) -> Bool,
        within longest: Duration = .seconds(30)
    ) async throws -> String {
        let deadline = ContinuousClock.now + longest
        while true {
            let body = try await self.get(path).body
            if isThere(body) || ContinuousClock.now >= deadline { return body }
        }
    }

    static func withBroker(
        partitions: Int? = 3,
        _ body: (EmbeddedBroker) async throws -> Void
    ) async throws {
        let broker = try await EmbeddedBroker.start()
        do {
            if let partitions { try await broker.createTopic(Samples.topic, partitions: partitions) }
            try await body(broker)
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    static func publish(_ records: [OutboundRecord], to broker: EmbeddedBroker) async throws {
        let address = broker.address
        try await EventThread.run {
            try WorkerTestSupport.publish(records, with: ["bootstrap.servers": address, "linger.ms": "1"])
        }
    }
}
