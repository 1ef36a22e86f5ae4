import EventThread
import Foundation
import Glibc
import Kafka
package import Logging
package import Operations
package import ServiceKit
import ServiceLifecycle
import UpstreamHTTP

/// The engine on its thread, as a service: it is started, asked to stop, and awaited.
package struct WorkerService: Service {
    private let settings: WorkerSettings
    private let handler: ErasedHandler
    private let registry: PrometheusRegistry
    private let health: Health
    private let logger: Logger
    private let bound: RunBound

    package init(
        settings: WorkerSettings,
        handler: ErasedHandler,
        registry: PrometheusRegistry,
        health: Health,
        logger: Logger,
        bound: RunBound = RunBound()
    ) {
        self.bound = bound
        self.settings = settings
        self.handler = handler
        self.registry = registry
        self.health = health
        self.logger = logger
    }

    /// Runs until a graceful shutdown has drained the engine, or until something is fatally wrong.
    ///
    /// - Throws: `PreflightFailure` if the cluster is not as it must be, or the error of a client that is of
    ///   no use any more.
    package func run() async throws {
        let stop = StopRequest()
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await EventThread.run { try self.turnEngine(until: stop) }
            } onCancel: {
                stop.request()
            }
        } onGracefulShutdown: {
            self.health.become(.draining)
            stop.request()
        }
    }

    private func turnEngine(until stop: StopRequest) throws {
        let broker = try self.connect()
        // The process ends after this. To destroy the client could only make it wait, without a bound.
        defer { broker.consumer.abandon() }
        let check = ClusterCheck(settings: self.settings, health: self.health, logger: self.logger)
        guard let facts = try check.facts(of: broker, until: stop) else { return }
        let upstream = try HTTPClient(self.settings.http)
        defer { upstream.close() }
        try broker.consumer.subscribe(to: self.settings.engine.consumedTopics)
        var settings = self.settings.engine
        settings.settledBound = self.bound.records
        let memory = facts.parkedPartitions > 0 ? try KafkaMemory(self.memoryProperties) : nil
        let engine = Engine(
            settings: settings,
            facts: facts,
            handler: self.handler,
            broker: broker,
            upstream: upstream,
            metrics: EngineMetrics(factory: self.registry, upstream: self.settings.engine.upstream),
            logger: self.logger,
            crashes: self.crashRecorder(),
            lot: memory.map {
                ParkingLot(
                    topic: settings.parkedTopic,
                    partitions: Int32(clamping: facts.parkedPartitions),
                    memory: $0
                )
            },
            seed: .random(in: .min ... .max)
        )
        // Parked records that have arrived and that the engine does not take now must not keep the thread
        // awake.
        func waitForAll(withMemory isAwaited: Bool) -> Wait {
            Wait(
                on: [
                    stop.bell.descriptor, broker.consumer.descriptor, broker.producer.descriptor,
                    upstream.descriptor, isAwaited ? memory?.descriptor ?? -1 : -1,
                ]
            )
        }
        var awaitsMemory = false
        var wait = waitForAll(withMemory: awaitsMemory)
        var watched = broker.producer
        var usage = UsageMeter()
        var turnsWithoutSleep = 0
        while true {
            stop.bell.answer()
            if stop.isRequested { engine.stop() }
            self.health.beat()
            guard case .after(let sleep) = try engine.turn(at: .now) else { break }
            usage.note(settled: engine.settledRecords, inHand: engine.recordsInHand)
            if let limit = self.bound.records, engine.settledRecords >= limit { stop.request() }
            self.health.become(engine.unreadiness.map { .notReady(reason: $0) } ?? .ready)
            // A transactional producer that was made anew has another descriptor.
            if watched !== broker.producer || awaitsMemory != engine.awaitsMemory {
                watched = broker.producer
                awaitsMemory = engine.awaitsMemory
                wait = waitForAll(withMemory: awaitsMemory)
            }
            turnsWithoutSleep = wait(atMost: sleep) ? 0 : turnsWithoutSleep + 1
            upstream.isBusy = turnsWithoutSleep > Self.busyTurns
        }
        if !broker.hasLeft { self.logger.warning("the group has not confirmed that this worker left") }
        self.logger.info("stopped", metadata: ["settled": "\(engine.settledRecords)"])
        self.bound.report?(usage.summary(of: self.settings.engine.worker))
    }

    /// The number of turns without sleep after which the thread has no time to spare.
    private static let busyTurns = 8

    /// The properties of the reader of parked records. It reads one partition at a time, and only as far
    /// ahead as there is soon room for.
    private var memoryProperties: [String: String] {
        let appetite = [
            "auto.offset.reset": "earliest", "queued.min.messages": "1000",
            "queued.max.messages.kbytes": "4096", "fetch.message.max.bytes": "1048576",
        ]
        return self.settings.kafka.readerProperties.merging(appetite) { $1 }
    }

    /// Returns the crash recorder; nil if none can be made. A worker can do its work without one.
    private func crashRecorder() -> CrashRecorder? {
        do throws(CrashRecorder.Failure) {
            return try CrashRecorder(folder: self.settings.crashFolder)
        } catch {
            self.logger.warning("no crash guard", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func connect() throws(KafkaError) -> KafkaBroker {
        let properties = self.settings.producerProperties()
        return try KafkaBroker(consumer: Consumer(self.settings.kafka.consumerProperties())) {
            () throws(KafkaError) in
            try Producer(properties)
        }
    }
}

extension HTTPClient: Upstream {
    /// The time until the client must be served even if nothing arrives; nil if there is none.
    package var nextDeadline: Duration? {
        let milliseconds = self.timeoutMilliseconds
        return milliseconds < 0 ? nil : .milliseconds(Int64(milliseconds))
    }
}
