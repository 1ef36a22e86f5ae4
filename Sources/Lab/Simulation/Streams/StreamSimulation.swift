package import CoreMetrics
package import StreamKit

/// A cluster whose topics keep states, and stream workers, on one simulated clock.
package final class StreamSimulation {
    let timeline: Timeline
    /// The cluster that the workers use.
    package let cluster: SimulatedCluster
    /// The topics that are written in transactions.
    package let topics: StreamTopics
    let model: InputModel
    let judge: StreamJudge
    /// The workers that were started and not killed.
    package private(set) var workers: [StreamWorker] = []
    /// Decides the speed and the errors of each reading of a changelog.
    package var memoryFate: () -> SimulatedMemory.Fate = { SimulatedMemory.Fate() }
    /// Takes the metrics of workers that are started from now on.
    package var metrics: any MetricsFactory = NOOPMetricsHandler.instance
    /// Called when a process has died in its own turn.
    var died: () -> Void = {}
    private var setup: StreamSetup
    /// The spread of the state for workers that are started from now on.
    package var spread: StateSpread? {
        get { self.setup.spread }
        set { self.setup.spread = newValue }
    }
    private var started: UInt64 = 0

    /// Makes a cluster without workers.
    package init(narrator: Narrator? = nil, _ setup: StreamSetup = StreamSetup()) {
        self.setup = setup
        self.timeline = Timeline(narrator)
        self.cluster = SimulatedCluster(
            clock: self.timeline.clock,
            partitions: setup.partitions,
            retryTopics: []
        )
        self.cluster.narrator = narrator
        self.cluster.isExactlyOnce = true
        self.cluster.messageLimit = setup.messageLimit
        self.topics = StreamTopics(
            [CountingTask.changelog, Part.topic, SummingTask.topic],
            consumed: [Part.topic],
            in: self.cluster
        )
        self.cluster.streams = self.topics
        self.model = InputModel(self.cluster, homes: setup.partitions)
        self.judge = StreamJudge(self.cluster, self.topics, model: self.model)
    }

    deinit { self.cluster.end() }

    /// The clock of the cluster and of all workers.
    package var clock: SimulatedClock { self.timeline.clock }
    /// The seconds that have passed on the simulated clock.
    package var seconds: Double { self.timeline.seconds }
    /// A description of each broken promise.
    package var violations: [String] { self.cluster.violations }

    // MARK: - Workers

    /// Starts another worker, which joins the group.
    ///
    /// - Parameter lead: How far the wall clock of its machine is ahead of the brokers'.
    @discardableResult
    package func startWorker(aheadBy lead: Duration = .zero) -> StreamWorker {
        self.started += 1
        let worker = StreamWorker(
            self.topics,
            in: self.cluster,
            setup: self.setup,
            number: self.started,
            aheadBy: lead,
            metrics: self.metrics
        ) {
            [unowned self] in
            self.memoryFate()
        } application: {
            StreamWatch(self.setup, self.model, of: $0)
        }
        self.workers.append(worker)
        return worker
    }

    /// Kills a worker. The process says nothing to the cluster.
    package func kill(_ worker: StreamWorker) {
        self.workers.removeAll { $0 === worker }
        worker.broker.kill()
        self.timeline.narrator?.tell(worker.name, "is killed")
        self.cluster.remove(worker.broker)
    }

    /// Lets the group replace a worker, which learns of it only after a time.
    package func depose(_ worker: StreamWorker, for length: Duration) {
        guard self.workers.contains(where: { $0 === worker }), !worker.broker.isDeposed else { return }
        self.timeline.narrator?.tell(worker.name, "is taken for dead")
        worker.broker.depose()
        self.after(length) { worker.broker.learnThatItIsDeposed() }
    }

    // MARK: - Time

    /// Schedules an event after some simulated time.
    package func after(_ delay: Duration, _ event: @escaping () -> Void) { self.timeline.after(delay, event) }

    /// Lets time pass until a condition holds or a promise is broken.
    ///
    /// - Returns: whether one of the two happened in the time given.
    @discardableResult
    package func run(for longest: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        try self.timeline.run(for: longest, in: self.cluster) {
            self.workers
        } died: {
            self.kill($0)
            self.died()
        } until: {
            !self.violations.isEmpty || isDone()
        }
    }

    /// Lets time pass until every record is counted, reported and added up.
    @discardableResult
    package func settleEverything(within longest: Duration = .seconds(600)) throws -> Bool {
        try self.run(for: longest) {
            self.cluster.isEverythingSettled && self.cluster.isEverythingCommitted
                && self.judge.isEverythingTold
        }
    }

    /// Compares the state that a new owner would read back with the input. Each difference is a violation.
    package func judgeTheEnd() { self.judge.judgeTheEnd() }
}
