import Kafka
import Logging
import Operations
import Records
import ServiceKit

/// One engine and its clients, on the thread that runs it.
struct StreamThread: Sendable {
    let number: Int
    let crew: StreamCrew
    let kafka: KafkaSettings
    let settings: StreamSettings
    let budget: MemoryBudget
    /// Asks the cluster for the ends of the partitions.
    let bounds: LogBoundsThread
    let surroundings: ServiceProcess.Surroundings
    /// The topics whose settings are given to `prepare`.
    let describedTopics: [String]
    let rights: [NeededRight]
    let prepare: @Sendable (StreamCluster) throws -> any StreamApplication

    /// Runs the engine, and returns after a stop, once the work in hand is committed and the group is left.
    ///
    /// - Throws: `PreflightFailure`, or the error of a client that is of no use any more.
    func run() throws {
        var logger = self.surroundings.logger
        logger[metadataKey: "thread"] = "\(self.number)"
        do {
            try self.run(logger)
        } catch {
            // The error is logged at once, because the process ends only after the other threads have
            // stopped.
            logger.error("thread failed", metadata: ["error": "\(error)"])
            throw error
        }
    }

    private func run(_ logger: Logger) throws {
        let producer = self.kafka.producerProperties(
            transactionalID: self.kafka.transactionalID(thread: self.number)
        )
        try KafkaBroker.connected(consumer: self.consumerProperties, producer: producer) { broker in
            try self.run(on: broker, logger)
        }
    }

    private func run(on broker: KafkaBroker, _ logger: Logger) throws {
        if self.number == 0 { self.kafka.certificates.tell(logger, in: self.surroundings.registry) }
        let wait = ClusterWait(
            limit: self.kafka.startLimit,
            brokers: self.kafka.brokers,
            health: self.surroundings.health,
            logger: logger
        )
        let stop = self.crew.stop(of: self.number)
        let prepared = try wait.answer(of: broker, until: stop) {
            let cluster = try self.cluster(of: broker, wait)
            let application = try self.prepare(cluster)
            try wait.check(self.rights, self.kafka, of: broker)
            broker.bounds = try self.crew.bound.until?.bounds(
                of: application.inputTopics,
                in: broker,
                atMost: ClusterWait.slice
            )
            return (application: application, cluster: cluster)
        }
        guard let (application, cluster) = prepared else { return }
        self.bounds.follow(broker.consumer.logBounds)
        let memory = try KafkaMemory(self.memoryProperties)
        for spread in application.spreads {
            try self.check(spread, in: cluster, by: memory, until: stop, telling: logger)
        }
        // Not before the look at the state: a worker that may not work with it writes nothing.
        let clockLead = self.crew.clockLead {
            application.clockRecord.map { self.clockLead(writing: $0, in: cluster, logger) } ?? 0
        }
        try broker.consumer.subscribe(to: application.topics)
        let engine = StreamEngine(
            settings: self.settings,
            application: application,
            broker: broker,
            memory: memory,
            metrics: StreamMetrics(thread: self.number, factory: self.surroundings.registry),
            budget: self.budget,
            quota: self.crew.quota,
            logger: logger,
            crashes: self.settings.crashFolder.flatMap {
                CrashRecorder(folder: $0, of: cluster.id, telling: logger)
            },
            clusterID: cluster.id,
            groupID: self.kafka.group,
            clockLead: clockLead,
            seed: .random(in: .min ... .max)
        )
        self.surroundings.desk.begin(.states)
        var turned = TurnedStream(
            engine: engine,
            broker: broker,
            desk: self.surroundings.desk,
            memory: memory,
            crew: self.crew,
            number: self.number
        )
        try TurnLoop(of: broker, until: stop, logger: logger).run(&turned)
        logger.info("stopped", metadata: ["processed": "\(engine.processedRecords)"])
    }

    /// The number of looks at the state before the start, as long as the cluster does not show it.
    private static var looks: Int { 3 }

    /// Looks at the state before the group is joined.
    ///
    /// A cluster that does not show all of it, because a partition has no leader, does not keep this worker from the
    /// other partitions: a partition whose state cannot be read back is not taken up, and every record that is read
    /// back is looked at once more.
    private func check(
        _ spread: StateSpread,
        in cluster: StreamCluster,
        by memory: KafkaMemory,
        until stop: StopRequest,
        telling logger: Logger
    ) throws {
        var trouble: KafkaError?
        for _ in 0..<Self.looks where !stop.isRequested {
            self.surroundings.health.beat()
            memory.dropReports()
            do {
                return try spread.check(
                    memory,
                    partitions: cluster.partitionCounts[spread.topic] ?? 0,
                    atMost: ClusterWait.slice,
                    pausingOn: memory.descriptor
                )
            } catch let error as KafkaError {
                trouble = error
            }
        }
        guard let trouble else { return }
        logger.warning(
            "the state is not shown before the start; it is looked at while it is read back",
            metadata: ["topic": "\(spread.topic)", "error": "\(trouble)"]
        )
    }

    private func clockLead(
        writing record: OutboundRecord,
        in cluster: StreamCluster,
        _ logger: Logger
    ) -> Int64 {
        self.surroundings.health.beat()
        let settings = cluster.topicSettings[record.topic]
        if let note = settings?.noteOfClock(ofChangelog: record.topic) { logger.notice("\(note)") }
        return self.kafka.clockLead(
            writing: record,
            toFirstOf: cluster.partitionCounts[record.topic] ?? 1,
            in: settings,
            telling: logger
        )
    }

    private func cluster(of broker: KafkaBroker, _ wait: ClusterWait) throws -> StreamCluster {
        let counts = try broker.consumer.metadata(atMost: ClusterWait.slice).partitionCounts
        let id = try wait.clusterID(of: broker)
        let settings =
            self.describedTopics.isEmpty ? nil : wait.settings(of: self.describedTopics, of: broker)
        if self.number == 0 { TopicRetention.show(settings ?? [:], in: self.surroundings.registry) }
        return StreamCluster(id: id, partitionCounts: counts, topicSettings: settings ?? [:])
    }

    private var consumerProperties: [String: String] {
        self.kafka.consumerProperties(thread: self.number).merging(Self.appetite) { $1 }
    }

    private var memoryProperties: [String: String] {
        self.kafka.readerProperties.merging(Self.appetite) { $1 }
    }

    /// The limits of fetching ahead. Records come and go by the hundred thousand here, and none of them waits
    /// for an upstream.
    private static var appetite: [String: String] {
        [
            "queued.min.messages": "20000",
            "queued.max.messages.kbytes": "8192",
            "fetch.message.max.bytes": "1048576",
            "fetch.max.bytes": "16777216",
        ]
    }
}

/// The engine of one thread: each of its turns counts for the crew.
private struct TurnedStream: TurnedEngine {
    let engine: StreamEngine<KafkaBroker, KafkaMemory>
    let broker: KafkaBroker
    let desk: OperatorDesk
    let memory: KafkaMemory
    let crew: StreamCrew
    let number: Int
    private var processed: Int64 = 0
    /// The version of the desk's orders that the engine obeys.
    private var obeyed: UInt64 = 0

    init(
        engine: StreamEngine<KafkaBroker, KafkaMemory>,
        broker: KafkaBroker,
        desk: OperatorDesk,
        memory: KafkaMemory,
        crew: StreamCrew,
        number: Int
    ) {
        self.engine = engine
        self.broker = broker
        self.desk = desk
        self.memory = memory
        self.crew = crew
        self.number = number
    }

    func stop() { self.engine.stop() }

    mutating func turn(at now: Moment) throws -> NextTurn {
        let version = self.desk.version
        if version != self.obeyed {
            self.engine.isPaused = self.desk.choices.isPaused
            self.obeyed = version
        }
        let next = try self.engine.turn(at: now)
        if let refusal = self.engine.refusal { throw refusal }
        self.crew.turned(
            self.number,
            processed: self.engine.processedRecords - self.processed,
            unreadiness: self.engine.unreadiness,
            isAtBound: self.broker.isReadUpToBounds && self.engine.isInputCommitted
        )
        self.processed = self.engine.processedRecords
        return next
    }

    var upstreamDescriptor: Int32 { -1 }

    var memoryDescriptor: Int32 { self.engine.isRestoring ? self.memory.descriptor : -1 }

    func rested(_ hasSlept: Bool) {}
}
