import EventThread
package import Kafka
import Operations
package import ServiceKit
import ServiceLifecycle

/// The cluster as it is found before the first record.
package struct StreamCluster: Hashable, Sendable {
    /// The cluster's own id.
    package var id: String
    /// The number of partitions of every topic that this client may see.
    package var partitionCounts: [String: Int]
    /// The settings of the topics that were asked for, as far as the cluster tells them.
    package var topicSettings: [String: TopicSettings] = [:]

    package init(
        id: String,
        partitionCounts: [String: Int],
        topicSettings: [String: TopicSettings] = [:]
    ) {
        self.id = id
        self.partitionCounts = partitionCounts
        self.topicSettings = topicSettings
    }
}

/// Engines on threads of their own, as one service: started, asked to stop, and awaited.
///
/// Each engine is a member of the consumer group like any other, in whatever process that runs. The engines
/// share their health, their metrics, the memory budget and the quota of records, and nothing else.
package struct StreamService: Service {
    private let kafka: KafkaSettings
    private let settings: StreamSettings
    private let surroundings: ServiceProcess.Surroundings
    private let bound: RunBound
    private let describedTopics: [String]
    private let rights: [NeededRight]
    private let prepare: @Sendable (StreamCluster) throws -> any StreamApplication

    /// - Parameters:
    ///   - describedTopics: The topics whose settings `prepare` looks at.
    ///   - rights: The rights that the application needs on the cluster.
    ///   - prepare: Makes the application of a thread, on that thread. It throws `PreflightFailure` if the
    ///     cluster is not as it must be.
    package init(
        kafka: KafkaSettings,
        settings: StreamSettings,
        surroundings: ServiceProcess.Surroundings,
        bound: RunBound = RunBound(),
        describedTopics: [String] = [],
        rights: [NeededRight],
        prepare: @escaping @Sendable (StreamCluster) throws -> any StreamApplication
    ) {
        self.kafka = kafka
        self.settings = settings
        self.surroundings = surroundings
        self.bound = bound
        self.describedTopics = describedTopics
        self.rights = rights
        self.prepare = prepare
    }

    /// Runs until a graceful shutdown has committed the work in hand, or until something is fatally wrong in
    /// one of the threads. In that case the other threads stop in good order.
    ///
    /// - Throws: `PreflightFailure`, or the error of a client that is of no use any more.
    package func run() async throws {
        Heap.keepFreedMemory()
        let crew = StreamCrew(
            threads: self.settings.threads,
            health: self.surroundings.health,
            bound: self.bound
        )
        try await self.surroundings.health.drainingAtShutdown(crew.requestStop) {
            try await self.run(crew)
        }
        crew.report(of: self.kafka.group)
    }

    private func run(_ crew: StreamCrew) async throws {
        let budget = MemoryBudget(limit: self.settings.memoryLimit)
        let bounds = LogBoundsThread()
        try await bounds.running {
            try await crew.run { number in
                try StreamThread(
                    number: number,
                    crew: crew,
                    kafka: self.kafka,
                    settings: self.settings,
                    budget: budget,
                    bounds: bounds,
                    surroundings: self.surroundings,
                    describedTopics: self.describedTopics,
                    rights: self.rights,
                    prepare: self.prepare
                ).run()
            }
        }
    }
}
