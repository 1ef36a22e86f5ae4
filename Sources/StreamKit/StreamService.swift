import EventThread
import Foundation
import Kafka
import Logging
import Operations
import Records
import ServiceLifecycle
package import WorkerKit

/// What a cluster is found to be before the first record.
package struct StreamCluster: Hashable, Sendable {
    /// The cluster's own id.
    package var id: String
    /// Of every topic that this client may see.
    package var partitionCounts: [String: Int]
}

/// The engine on its thread, as a service: started, asked to stop, and awaited.
package struct StreamService: Service {
    private let kafka: KafkaSettings
    private let settings: StreamSettings
    private let surroundings: ServiceProcess.Surroundings
    private let bound: RunBound
    private let prepare: @Sendable (StreamCluster) throws -> any StreamApplication

    /// - Parameter prepare: makes the application, on the engine's thread; throws `PreflightFailure` if the cluster is
    ///   not as it must be.
    package init(
        kafka: KafkaSettings,
        settings: StreamSettings,
        surroundings: ServiceProcess.Surroundings,
        bound: RunBound = RunBound(),
        prepare: @escaping @Sendable (StreamCluster) throws -> any StreamApplication
    ) {
        self.kafka = kafka
        self.settings = settings
        self.surroundings = surroundings
        self.bound = bound
        self.prepare = prepare
    }

    /// Runs until a graceful shutdown has committed what was in hand, or until something is fatally wrong.
    ///
    /// - Throws: `PreflightFailure`, or the error of a client that is of no use any more.
    package func run() async throws {
        let stop = StopRequest()
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await EventThread.run { try self.turnEngine(until: stop) }
            } onCancel: {
                stop.request()
            }
        } onGracefulShutdown: {
            self.surroundings.health.become(.draining)
            stop.request()
        }
    }

    private func turnEngine(until stop: StopRequest) throws {
        let (health, logger) = (self.surroundings.health, self.surroundings.logger)
        let broker = try self.connect()
        // The process ends with this: to destroy the client could only make it wait, without a bound.
        defer { broker.consumer.abandon() }
        let wait = ClusterWait(
            limit: self.kafka.startLimit,
            brokers: self.kafka.brokers,
            health: health,
            logger: logger
        )
        guard let cluster = try wait.answer(of: broker, until: stop, { try self.cluster(of: broker) }) else {
            return
        }
        let application = try self.prepare(cluster)
        let memory = try KafkaMemory(self.memoryProperties)
        try broker.consumer.subscribe(to: application.topics)
        let engine = StreamEngine(
            settings: self.settings,
            application: application,
            broker: broker,
            memory: memory,
            metrics: StreamMetrics(factory: self.surroundings.registry),
            logger: logger
        )
        try self.turn(engine, broker, memory, until: stop)
        if !broker.hasLeft { logger.warning("the group has not confirmed that this worker left") }
        logger.info("stopped", metadata: ["processed": "\(engine.processedRecords)"])
    }

    private func turn(
        _ engine: StreamEngine<KafkaBroker, KafkaMemory>,
        _ broker: KafkaBroker,
        _ memory: KafkaMemory,
        until stop: StopRequest
    ) throws {
        func waitForAll() -> Wait {
            Wait(
                on: [
                    stop.bell.descriptor, broker.consumer.descriptor, broker.producer.descriptor,
                    memory.descriptor,
                ]
            )
        }
        var wait = waitForAll()
        var watched = broker.producer
        var usage = UsageMeter()
        while true {
            stop.bell.answer()
            if stop.isRequested { engine.stop() }
            self.surroundings.health.beat()
            guard case .after(let sleep) = try engine.turn(at: .now) else { break }
            usage.note(settled: Int(engine.processedRecords), inHand: 0)
            if let limit = self.bound.records, engine.processedRecords >= limit { stop.request() }
            self.surroundings.health.become(engine.unreadiness.map { .notReady(reason: $0) } ?? .ready)
            // A transactional producer that was made anew announces itself elsewhere.
            if watched !== broker.producer {
                watched = broker.producer
                wait = waitForAll()
            }
            if sleep > .zero { wait(atMost: sleep) }
        }
        self.bound.report?(usage.summary(of: self.kafka.group))
    }

    private func cluster(of broker: KafkaBroker) throws -> StreamCluster {
        let counts = try broker.consumer.metadata(atMost: ClusterWait.slice).partitionCounts
        guard let id = broker.consumer.clusterID(atMost: ClusterWait.slice) else {
            throw KafkaError(code: .timedOut, message: "the cluster does not tell its id")
        }
        return StreamCluster(id: id, partitionCounts: counts)
    }

    private func connect() throws(KafkaError) -> KafkaBroker {
        let properties = self.kafka.producerProperties(
            transactionalID: "\(self.kafka.group)-\(UUID().uuidString)"
        )
        return try KafkaBroker(consumer: Consumer(self.consumerProperties)) { () throws(KafkaError) in
            try Producer(properties)
        }
    }

    private var consumerProperties: [String: String] {
        self.kafka.consumerProperties.merging(["enable.partition.eof": "true"]) { $1 }
            .merging(Self.appetite) { $1 }
    }

    private var memoryProperties: [String: String] {
        self.kafka.readerProperties.merging(Self.appetite) { $1 }
    }

    /// Records come and go by the hundred thousand here, and none of them waits for an upstream.
    private static var appetite: [String: String] {
        [
            "queued.min.messages": "20000",
            "queued.max.messages.kbytes": "8192",
            "fetch.message.max.bytes": "1048576",
            "fetch.max.bytes": "16777216",
        ]
    }
}
