import WorkerKit

/// A cluster whose topics hold states, and stream workers, on one clock.
package final class StreamSimulation {
    let timeline: Timeline
    package let cluster: SimulatedCluster
    package let topics: StreamTopics
    let model: InputModel
    let judge: StreamJudge
    package private(set) var workers: [StreamWorker] = []
    /// What becomes of a look into a changelog.
    package var memoryFate: () -> SimulatedMemory.Fate = { SimulatedMemory.Fate() }
    /// Told of a process that has died of itself.
    var died: () -> Void = {}
    private let setup: StreamSetup
    private var started: UInt64 = 0

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
        self.judge = StreamJudge(self.cluster, self.topics, self.model)
    }

    deinit { self.cluster.end() }

    package var clock: SimulatedClock { self.timeline.clock }
    package var seconds: Double { self.timeline.seconds }
    package var violations: [String] { self.cluster.violations }

    // MARK: - Workers

    @discardableResult
    package func startWorker() -> StreamWorker {
        self.started += 1
        let worker = StreamWorker(self, self.setup, number: self.started)
        self.workers.append(worker)
        return worker
    }

    /// The process is gone: nothing is said to anybody.
    package func kill(_ worker: StreamWorker) {
        self.workers.removeAll { $0 === worker }
        worker.broker.kill()
        self.timeline.narrator?.tell(worker.name, "is killed")
        self.cluster.remove(worker.broker)
    }

    /// The group takes a worker for dead, and so much later the worker hears of it.
    package func depose(_ worker: StreamWorker, for length: Duration) {
        guard self.workers.contains(where: { $0 === worker }), !worker.broker.isDeposed else { return }
        self.timeline.narrator?.tell(worker.name, "is taken for dead")
        worker.broker.depose()
        self.after(length) { worker.broker.learnThatItIsDeposed() }
    }

    // MARK: - Time

    /// Has something happen when so much time has passed.
    package func after(_ delay: Duration, _ event: @escaping () -> Void) { self.timeline.after(delay, event) }

    /// Lets time pass until something holds, or a promise is broken.
    ///
    /// - Returns: whether it did, in the time given.
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

    /// Lets time pass until every record is counted, told and added up.
    @discardableResult
    package func settleEverything(within longest: Duration = .seconds(600)) throws -> Bool {
        try self.run(for: longest) {
            self.cluster.isEverythingSettled && self.cluster.isEverythingCommitted
                && self.judge.isEverythingTold
        }
    }

    /// Compares what a new owner would read back with what the input says; what differs is a violation.
    package func judgeTheEnd() { self.judge.judgeTheEnd() }
}
