import EmbeddedBroker
import EventThread
import Foundation
import Kafka
import Logging
import Operations
import Records
import ServiceLifecycle
import WorkerTestSupport

@testable import Gateway

/// A gateway on a port of its own, with an embedded broker behind it, for the time of a test.
struct Stage: Sendable {
    let broker: EmbeddedBroker
    let port: Int
    let health: Health
    let registry: PrometheusRegistry
    let limits: RequestLimits
    /// Stops the gateway as SIGTERM does.
    let stop: @Sendable () async -> Void

    static let upload = "/v3/projects/0a1b4118dd954ec3/collect?stm=1763962605200"
    static let topics = ["sdk-upload", "push-arrival", "activation-click"]

    /// Settings for tests, with the lines of a section `gateway` and of a section `kafka`.
    static func settings(
        brokers: String,
        gateway: [String] = [],
        kafka: [String] = []
    ) throws -> GatewaySettings {
        let lines =
            ["kafka:", "  brokers: \(brokers)", "  linger: 0s"] + kafka.map { "  \($0)" }
            + ["gateway:", "  host: 127.0.0.1", "  port: 0"] + gateway.map { "  \($0)" }
        let folder = try TemporaryFolder()
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "gateway.yaml")
        return try GatewayProgram.load(path: file.path).settings
    }

    /// - Parameters:
    ///   - topics: the topics that the broker has.
    ///   - isReady: whether the body begins only when the gateway accepts requests.
    static func run(
        gateway: [String] = [],
        kafka: [String] = [],
        topics: [String] = Stage.topics,
        isReady: Bool = true,
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        var brokerSettings = BrokerSettings()
        brokerSettings.automaticPartitions = nil
        let broker = try await EmbeddedBroker.start(brokerSettings)
        let result = await Self.result {
            for topic in topics { try await broker.createTopic(topic, partitions: 3) }
            let settings = try self.settings(brokers: broker.address, gateway: gateway, kafka: kafka)
            try await Self.serve(settings, broker, isReady: isReady, body)
        }
        await broker.stop()
        try result.get()
    }

    private static func serve(
        _ settings: GatewaySettings,
        _ broker: EmbeddedBroker,
        isReady: Bool,
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let (health, registry) = (Health(), PrometheusRegistry())
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let gateway = try Gateway(settings, registry: registry, health: health, logger: logger) {
            port.yield($0)
        }
        let services = ServiceGroup(services: gateway.services, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await services.run()
            }
            group.addTask {
                for await port in ports {
                    let stage = Stage(
                        broker: broker,
                        port: port,
                        health: health,
                        registry: registry,
                        limits: gateway.limits
                    ) { await services.triggerGracefulShutdown() }
                    let result = await Self.result {
                        if isReady { try await stage.becomes(.ready) }
                        try await body(stage)
                    }
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

    private struct NeverSo: Error {}

    /// Waits until the gateway reports this readiness.
    func becomes(_ readiness: Health.Readiness) async throws {
        try await self.waits { self.health.readiness == readiness }
    }

    /// Waits until something holds.
    func waits(until holds: @Sendable () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            guard ContinuousClock.now < deadline else { throw NeverSo() }
            await Task.yield()
        }
    }

    // MARK: - Requests

    var http: PlainHTTP { PlainHTTP(port: self.port) }

    func post(
        _ path: String,
        _ body: String,
        headers: [String: String] = [:]
    ) async throws -> PlainHTTP.Answer {
        try await self.http.request(
            "POST",
            path,
            headers: ["Host": "gateway"].merging(headers) { $1 },
            body: body
        )
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> PlainHTTP.Answer {
        try await self.http.request("GET", path, headers: ["Host": "gateway"].merging(headers) { $1 })
    }

    /// How many connections the gateway has closed for a cause.
    func closes(_ cause: String) -> Int {
        let start = #"gateway_connections_closed_total{cause="\#(cause)"} "#
        let line = self.registry.exposition().split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Int($0.dropFirst(start.count)) } ?? 0
    }

    /// From now on, and until its faults change, the broker acknowledges no record.
    func refusesAllRecords() async throws {
        var faults = BrokerFaults()
        faults.refusedProduceShare = 1
        try await self.broker.setFaults(faults)
    }

    /// Everything that stands on a topic now.
    func records(on topic: String) async throws -> [InboundRecord] {
        let address = self.broker.address
        return try await EventThread.run { try Self.read(topic, from: address) }
    }

    private static func read(_ topic: String, from brokers: String) throws -> [InboundRecord] {
        let properties = ["bootstrap.servers": brokers, "fetch.wait.max.ms": "5"]
        let reader = try TopicReader([topic], from: .beginning, properties, atMost: .seconds(20))
        var records: [InboundRecord] = []
        var failure: KafkaError?
        var wait = Wait(on: [reader.descriptor])
        let deadline = ContinuousClock.now + .seconds(60)
        while !reader.isAtEnd {
            reader.read(atMost: 1_000, { records.append($0) }, { failure = $0 })
            if ContinuousClock.now > deadline { throw failure ?? KafkaError(code: .timedOut, message: topic) }
            wait(atMost: .milliseconds(20))
        }
        return records
    }
}

extension InboundRecord {
    /// The value as text.
    var text: String { String(decoding: self.value ?? [], as: UTF8.self) }

    /// The key as text; nil if there is none.
    var keyText: String? { self.key.map { String(decoding: $0, as: UTF8.self) } }

    /// A header as text; nil if there is none.
    func text(_ header: String) -> String? {
        self.header(header).map { String(decoding: $0, as: UTF8.self) }
    }
}
