import EventThread
import Foundation
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
    let surroundings: ServiceProcess.Surroundings
    /// The topics whose settings are given to `prepare`.
    let describedTopics: [String]
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
        let broker = try self.connect()
        // The process ends with this thread, or soon after it. To destroy the client could only make it wait,
        // without a bound.
        defer { broker.consumer.abandon() }
        let wait = ClusterWait(
            limit: self.kafka.startLimit,
            brokers: self.kafka.brokers,
            health: self.surroundings.health,
            logger: logger
        )
        let stop = self.crew.stop(of: self.number)
        let prepared = try wait.answer(of: broker, until: stop) {
            let cluster = try self.cluster(of: broker)
            let application = try self.prepare(cluster)
            try wait.checkReading(application.topics, of: broker)
            return (application: application, clusterID: cluster.id)
        }
        guard let (application, clusterID) = prepared else { return }
        let memory = try KafkaMemory(self.memoryProperties)
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
            crashes: self.crashRecorder(logger),
            clusterID: clusterID,
            seed: .random(in: .min ... .max)
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
        var processed: Int64 = 0
        while true {
            stop.bell.answer()
            if stop.isRequested { engine.stop() }
            let next = try engine.turn(at: .now)
            self.crew.turned(
                self.number,
                processed: engine.processedRecords - processed,
                unreadiness: engine.unreadiness
            )
            processed = engine.processedRecords
            guard case .after(let sleep) = next else { return }
            // A transactional producer that was made anew has another descriptor.
            if watched !== broker.producer {
                watched = broker.producer
                wait = waitForAll()
            }
            if sleep > .zero { wait(atMost: sleep) }
        }
    }

    private func cluster(of broker: KafkaBroker) throws -> StreamCluster {
        let counts = try broker.consumer.metadata(atMost: ClusterWait.slice).partitionCounts
        guard let id = broker.consumer.clusterID(atMost: ClusterWait.slice) else {
            throw KafkaError(code: .timedOut, message: "the cluster does not tell its id")
        }
        return StreamCluster(id: id, partitionCounts: counts, topicSettings: self.topicSettings(of: broker))
    }

    /// Returns the settings of the topics; none if the cluster does not tell them, or not to this client. The
    /// worker starts all the same.
    private func topicSettings(of broker: KafkaBroker) -> [String: TopicSettings] {
        guard !self.describedTopics.isEmpty else { return [:] }
        do throws(KafkaError) {
            return try broker.consumer.settings(of: self.describedTopics, atMost: ClusterWait.slice)
        } catch {
            self.surroundings.logger.info(
                "the cluster does not tell how long it keeps records, and how large ones it takes",
                metadata: ["error": "\(error)"]
            )
            return [:]
        }
    }

    /// Returns the crash recorder; nil if none can be made. A worker can do its work without one.
    private func crashRecorder(_ logger: Logger) -> CrashRecorder? {
        guard let folder = self.settings.crashFolder else { return nil }
        do throws(CrashRecorder.Failure) {
            return try CrashRecorder(folder: folder)
        } catch {
            logger.warning("no crash guard", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func connect() throws(KafkaError) -> KafkaBroker {
        let properties = self.kafka.producerProperties(
            transactionalID: self.kafka.transactionalID(thread: self.number)
        )
        return try KafkaBroker(consumer: Consumer(self.consumerProperties)) { () throws(KafkaError) in
            try Producer(properties)
        }
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
