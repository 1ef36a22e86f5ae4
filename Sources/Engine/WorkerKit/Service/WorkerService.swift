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
    private let desk: OperatorDesk
    private let bound: RunBound
    private let spans: SpanQueue?

    /// - Parameters:
    ///   - desk: The choices of an operator.
    ///   - spans: Takes the spans of sampled records; nil if nothing is traced.
    package init(
        settings: WorkerSettings,
        handler: ErasedHandler,
        registry: PrometheusRegistry,
        health: Health,
        logger: Logger,
        desk: OperatorDesk,
        bound: RunBound = RunBound(),
        spans: SpanQueue? = nil
    ) {
        self.desk = desk
        self.spans = spans
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
        let bounds = LogBoundsThread()
        try await self.health.drainingAtShutdown(stop.request) {
            try await bounds.running {
                try await EventThread.run {
                    try KafkaBroker.connected(
                        consumer: self.settings.kafka.consumerProperties(),
                        producer: self.settings.producerProperties()
                    ) { broker in
                        bounds.follow(broker.consumer.logBounds)
                        try self.turnEngine(on: broker, until: stop)
                    }
                }
            }
        }
    }

    private func turnEngine(on broker: KafkaBroker, until stop: StopRequest) throws {
        let check = ClusterCheck(
            settings: self.settings,
            health: self.health,
            registry: self.registry,
            logger: self.logger
        )
        guard let facts = try check.facts(of: broker, bound: self.bound.until, until: stop) else { return }
        var http = self.settings.http
        // Batches take connections beside those of the calls.
        if self.handler.endpoints.contains(where: { $0.callsPerSlot > 1 }) { http.connectionLimit *= 2 }
        let upstream = try HTTPClient(http)
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
            crashes: CrashRecorder(
                folder: self.settings.crashFolder,
                of: facts.clusterID,
                telling: self.logger
            ),
            lot: memory.map {
                ParkingLot(
                    topic: settings.parkedTopic,
                    partitions: Int32(clamping: facts.parkedPartitions),
                    memory: $0
                )
            },
            tracer: self.spans.map {
                Tracer(
                    $0,
                    ratio: self.settings.tracing.sampleRatio,
                    settings: settings,
                    seed: .random(in: .min ... .max)
                )
            },
            seed: .random(in: .min ... .max)
        )
        self.desk.begin(
            .calls(endpoints: engine.endpointNames, concurrency: self.settings.engine.concurrency)
        )
        var turned = TurnedWorker(
            engine: engine,
            broker: broker,
            desk: self.desk,
            upstream: upstream,
            memory: memory,
            health: self.health,
            limit: self.bound.records,
            requestStop: stop.request
        )
        try TurnLoop(of: broker, until: stop, logger: self.logger).run(&turned)
        self.logger.info("stopped", metadata: ["settled": "\(engine.settledRecords)"])
        self.bound.report?(turned.usage.summary(of: self.settings.engine.worker))
    }

    /// The properties of the reader of parked records. It reads one partition at a time, and only as far
    /// ahead as there is soon room for.
    private var memoryProperties: [String: String] {
        let appetite = [
            "auto.offset.reset": "earliest", "queued.min.messages": "1000",
            "queued.max.messages.kbytes": "4096", "fetch.message.max.bytes": "1048576",
        ]
        return self.settings.kafka.readerProperties.merging(appetite) { $1 }
    }
}

/// The engine of a worker: each of its turns tells the health how the worker is, and counts for the bound of
/// the run.
private struct TurnedWorker: TurnedEngine {
    let engine: Engine<KafkaBroker, HTTPClient>
    let broker: KafkaBroker
    let desk: OperatorDesk
    /// The version of the desk's orders that the engine obeys.
    private var obeyed: UInt64 = 0
    let upstream: HTTPClient
    let memory: KafkaMemory?
    let health: Health
    /// The number of records after which the run ends; nil without a bound.
    let limit: Int?
    let requestStop: () -> Void
    private(set) var usage = UsageMeter()
    private var turnsWithoutSleep = 0

    /// The number of turns without sleep after which the thread has no time to spare.
    private static let busyTurns = 8

    init(
        engine: Engine<KafkaBroker, HTTPClient>,
        broker: KafkaBroker,
        desk: OperatorDesk,
        upstream: HTTPClient,
        memory: KafkaMemory?,
        health: Health,
        limit: Int?,
        requestStop: @escaping () -> Void
    ) {
        self.engine = engine
        self.broker = broker
        self.desk = desk
        self.upstream = upstream
        self.memory = memory
        self.health = health
        self.limit = limit
        self.requestStop = requestStop
    }

    func stop() { self.engine.stop() }

    mutating func turn(at now: Moment) throws -> NextTurn {
        self.health.beat()
        let version = self.desk.version
        if version != self.obeyed {
            self.engine.obey(self.desk.orders)
            self.obeyed = version
        }
        guard case .after(let sleep) = try self.engine.turn(at: now) else { return .never }
        self.usage.note(settled: self.engine.settledRecords, inHand: self.engine.recordsInHand)
        if let limit, self.engine.settledRecords >= limit { self.requestStop() }
        if let bounds = self.broker.bounds, self.broker.isReadUpToBounds,
            self.engine.isInputSettled(before: bounds)
        {
            self.requestStop()
        }
        self.health.become(self.engine.unreadiness.map { .notReady(reason: $0) } ?? .ready)
        return .after(sleep)
    }

    var upstreamDescriptor: Int32 { self.upstream.descriptor }

    /// Parked records that have arrived and that the engine does not take now must not keep the thread awake.
    var memoryDescriptor: Int32 { self.engine.awaitsMemory ? self.memory?.descriptor ?? -1 : -1 }

    mutating func rested(_ hasSlept: Bool) {
        self.turnsWithoutSleep = hasSlept ? 0 : self.turnsWithoutSleep + 1
        self.upstream.isBusy = self.turnsWithoutSleep > Self.busyTurns
    }
}

extension HTTPClient: Upstream {
    /// The time until the client must be served even if nothing arrives; nil if there is none.
    package var nextDeadline: Duration? {
        let milliseconds = self.timeoutMilliseconds
        return milliseconds < 0 ? nil : .milliseconds(Int64(milliseconds))
    }
}
