import DeadLetterPages
import DeadLetters
import EmbeddedBroker
import EventThread
import Foundation
import Kafka
import Logging
import Operations
import Records
import ServiceLifecycle
import Testing
import WorkerTestSupport

/// A broker with dead letters in it, and the pages in front of it, for the time of a test.
struct Stage: Sendable {
    static let letterTopic = "activation.dead-letter"
    static let originalTopic = "activation"
    static let user = "ada"

    let broker: EmbeddedBroker
    let port: Int

    var properties: [String: String] { ["bootstrap.servers": self.broker.address, "fetch.wait.max.ms": "5"] }

    /// - Parameters:
    ///   - tls: also makes the probe's plain HTTP useless.
    ///   - proxyToken: its file is looked at again and again.
    ///   - operators: the users that may change something; with this or `operatorGroups`, others may only look.
    ///   - operatorGroups: the groups of such users.
    ///   - webhook: the address that hears of new groups.
    ///   - readable: the texts that are read without a reason.
    static func run(
        letters: [OutboundRecord],
        tls: PagesSettings.TLS? = nil,
        proxyToken: WatchedSecret? = nil,
        operators: [String] = [],
        operatorGroups: [String] = [],
        webhook: Webhook? = nil,
        readable: ReadablePolicy = .usual,
        refreshInterval: Duration = .milliseconds(100),
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let broker = try await EmbeddedBroker.start()
        for topic in [Self.letterTopic, Self.originalTopic, Self.originalTopic + ".result"] {
            try await broker.createTopic(topic, partitions: 2)
        }
        try await Self.publish(letters, to: broker)
        let desk = DeadLetterSettings(
            properties: ["bootstrap.servers": broker.address, "fetch.wait.max.ms": "5"],
            user: "nobody",
            salt: Secret("the fleet's salt"),
            readable: readable,
            indexPath: folder.url.appendingPathComponent("index.sqlite").path,
            patience: .seconds(4)
        )
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = try PagesServer(
            PagesSettings(
                port: 0,
                tls: tls,
                proxyToken: proxyToken,
                operators: operators,
                operatorGroups: operatorGroups,
                localUser: Self.user,
                refreshInterval: refreshInterval,
                webhook: webhook
            ),
            desk: desk,
            environment: [:],
            now: { Int64(Date().timeIntervalSince1970 * 1_000) },
            listening: { port.yield($0) }
        )
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        let watch = SecretFileWatch(server.watchedFiles, logger, interval: .milliseconds(20))
        let services = ServiceGroup(services: [watch, server], logger: logger)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { port.finish() }
                    try await services.run()
                }
                group.addTask {
                    for await port in ports {
                        let result = await Self.result { try await body(Stage(broker: broker, port: port)) }
                        await services.triggerGracefulShutdown()
                        return try result.get()
                    }
                }
                try await group.waitForAll()
            }
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
        withExtendedLifetime(folder) {}
    }

    private static func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    static func publish(_ records: [OutboundRecord], to broker: EmbeddedBroker) async throws {
        let address = broker.address
        try await EventThread.run {
            try WorkerTestSupport.publish(records, with: ["bootstrap.servers": address, "linger.ms": "5"])
        }
    }

    /// All records that a topic holds once it holds so many.
    func records(of topic: String, atLeast count: Int, within longest: Duration = .seconds(30)) async throws
        -> [InboundRecord]
    {
        let properties = self.properties
        return try await EventThread.run {
            let reader = try TopicReader([topic], from: .beginning, properties, atMost: .seconds(10))
            var wait = Wait(on: [reader.descriptor])
            var records: [InboundRecord] = []
            var trouble: KafkaError?
            let deadline = ContinuousClock.now + longest
            while records.count < count || !reader.isAtEnd, ContinuousClock.now < deadline {
                _ = reader.read(atMost: 10_000) {
                    records.append($0)
                } _: {
                    if $0.isFatal { trouble = $0 }
                }
                if !reader.hasArrivals { _ = wait(atMost: .milliseconds(50)) }
            }
            if let trouble { throw trouble }
            return records
        }
    }

    /// Asks again until a page says this, or the time is up.
    func page(_ path: String, once isThere: (String) -> Bool, within longest: Duration = .seconds(30))
        async throws
        -> String
    {
        let deadline = ContinuousClock.now + longest
        let visitor = Visitor(port: self.port)
        while true {
            let answer = try await visitor.get(path)
            if answer.status == 200, isThere(answer.body) || ContinuousClock.now >= deadline {
                return answer.body
            }
            guard ContinuousClock.now < deadline else { return answer.body }
        }
    }
}
