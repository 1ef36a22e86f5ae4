package import CoreMetrics
import Records
package import ServiceKit
import WireFormats
package import WorkerKit

/// A cluster, an upstream and workers on one simulated clock.
///
/// A worker sleeps exactly as long as its engine says it may. If the engine forgets to wake up for something,
/// the worker goes on sleeping, and the judges notice.
package final class Simulation {
    let timeline: Timeline
    /// The clock of the cluster and of all workers.
    package var clock: SimulatedClock { self.timeline.clock }
    /// The cluster that the workers use.
    package let cluster: SimulatedCluster
    /// The settings of workers that are started from now on.
    package var settings: EngineSettings
    /// The handler of workers that are started from now on; nil for the simulation's own.
    package var handler: ErasedHandler?
    /// The limit on the whole fleet's calls to the side endpoint; nil for none.
    package var sideRate: RateLimit.Settings?
    /// The limits of the requests that some records share; nil if each record has its own.
    var batches: SimulatedBatch.Limits?
    /// The workers that were started and not killed.
    package private(set) var workers: [SimulatedWorker] = []
    /// Makes the upstream's answer to a call of any worker.
    package var reply: (SimulatedUpstream.Call) -> SimulatedUpstream.Reply = { _ in
        SimulatedUpstream.Reply(200)
    }
    /// The id that the cluster reports.
    package var clusterID: String {
        get { self.cluster.id }
        set { self.cluster.id = newValue }
    }
    /// The speed and the errors of reading the parking topic and the input again.
    package var memoryFate: () -> SimulatedMemory.Fate = { SimulatedMemory.Fate() }
    /// Takes the metrics of workers that are started from now on.
    package var metrics: any MetricsFactory = NOOPMetricsHandler.instance
    /// Begins the spans of sampled records of workers that are started from now on.
    package var tracer: Tracer?
    private var started: UInt64 = 0
    private var narrator: Narrator? { self.timeline.narrator }

    /// Makes a cluster without workers.
    ///
    /// - Parameter adjust: changes the engine's settings before they are used.
    package init(
        partitions: Int = 1,
        narrator: Narrator? = nil,
        _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) {
        self.timeline = Timeline(narrator)
        var settings = EngineSettings(
            inputTopic: SimulatedCluster.topic,
            groupID: "workers",
            worker: "simulated-worker",
            workerVersion: "1",
            upstream: "simulated"
        )
        adjust(&settings)
        self.settings = settings
        self.cluster = SimulatedCluster(
            clock: self.timeline.clock,
            partitions: partitions,
            retryTopics: settings.retryTiers.map(\.topic)
        )
        self.cluster.narrator = narrator
        self.cluster.ordering = settings.bypass.threshold == nil ? settings.ordering : .none
        self.cluster.deadline = settings.deadline
        self.cluster.isExactlyOnce = settings.delivery == .exactlyOnce
    }

    deinit { self.cluster.end() }

    /// Makes the topic in which workers park records. Call it before the first worker is started.
    package func makeParkingTopic() { self.cluster.makeParkingTopic() }

    /// The seconds that have passed on the simulated clock.
    package var seconds: Double { self.timeline.seconds }
    /// The worker that was started first, of those that were not killed.
    package var worker: SimulatedWorker { self.workers[0] }
    var isBroken: Bool {
        !self.cluster.violations.isEmpty || self.workers.contains { !$0.upstream.violations.isEmpty }
    }
    /// The broken promises found by the cluster and by the upstreams.
    package var violations: [String] { self.cluster.violations + self.workers.flatMap(\.upstream.violations) }

    /// Starts another worker, which joins the group.
    @discardableResult
    package func startWorker(_ crashes: CrashRecorder? = nil) -> SimulatedWorker {
        self.started += 1
        let upstream = SimulatedUpstream(self.clock) { [unowned self] in self.reply($0) }
        let worker = SimulatedWorker(
            self.cluster,
            upstream,
            settings: self.settings,
            handler: self.handler
                ?? ErasedHandler(
                    SimulatedHandler(
                        sideRate: self.sideRate,
                        batches: self.batches,
                        oldest: self.settings.deadline
                    )
                ),
            number: self.started,
            sideRate: self.sideRate,
            narrator: self.narrator,
            crashes: crashes,
            metrics: self.metrics,
            tracer: self.tracer,
            memoryFate: { [unowned self] in self.memoryFate() }
        )
        self.workers.append(worker)
        return worker
    }

    /// Kills a worker between two of its turns. The process says nothing to the cluster or the upstream.
    package func kill(_ worker: SimulatedWorker) {
        self.workers.removeAll { $0 === worker }
        worker.broker.kill()
        self.narrator?.tell(worker.name, "is killed")
        self.cluster.violations += worker.upstream.violations
        self.cluster.remove(worker.broker)
    }

    /// Schedules an event after some simulated time.
    package func after(_ delay: Duration, _ event: @escaping () -> Void) { self.timeline.after(delay, event) }

    /// Lets time pass until a condition holds.
    ///
    /// - Returns: whether the condition came to hold in the time given.
    @discardableResult
    package func run(for longest: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        try self.timeline.run(for: longest, in: self.cluster) {
            self.workers
        } died: {
            self.kill($0)
        } until: {
            isDone()
        }
    }

    /// Lets time pass until every record has its outcome and every offset is committed.
    @discardableResult
    package func settleEverything(within longest: Duration = .seconds(3_600)) throws -> Bool {
        try self.run(for: longest) { self.cluster.isEverythingSettled && self.cluster.isEverythingCommitted }
    }
}
