import Records
import WireFormats
package import WorkerKit

/// A cluster, an upstream and workers, on one clock. Workers sleep as long as they say they may, and not a
/// nanosecond less, so whoever forgets to wake up sleeps on.
package final class Simulation {
    let timeline: Timeline
    package var clock: SimulatedClock { self.timeline.clock }
    package let cluster: SimulatedCluster
    package var settings: EngineSettings
    /// Calls a second that the fleet may make of the side endpoint, if there is a limit.
    package var sideRate: RateLimit.Settings?
    package private(set) var workers: [SimulatedWorker] = []
    /// How the upstream answers, whichever worker asks.
    package var reply: (SimulatedUpstream.Call) -> SimulatedUpstream.Reply = { _ in
        SimulatedUpstream.Reply(200)
    }
    /// What the cluster calls itself.
    package var clusterID: String {
        get { self.cluster.id }
        set { self.cluster.id = newValue }
    }
    /// How the parking topic and the input are read again.
    package var memoryFate: () -> SimulatedMemory.Fate = { SimulatedMemory.Fate() }
    private var started: UInt64 = 0
    private var narrator: Narrator? { self.timeline.narrator }

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

    /// Makes the topic in which workers put records aside. To be called before the first of them is started.
    package func makeParkingTopic() { self.cluster.makeParkingTopic() }

    package var seconds: Double { self.timeline.seconds }
    package var worker: SimulatedWorker { self.workers[0] }
    var isBroken: Bool {
        !self.cluster.violations.isEmpty || self.workers.contains { !$0.upstream.violations.isEmpty }
    }
    package var violations: [String] { self.cluster.violations + self.workers.flatMap(\.upstream.violations) }

    @discardableResult
    package func startWorker(_ crashes: CrashRecorder? = nil) -> SimulatedWorker {
        self.started += 1
        let upstream = SimulatedUpstream(self.clock) { [unowned self] in self.reply($0) }
        let worker = SimulatedWorker(
            self.cluster,
            upstream,
            self.settings,
            number: self.started,
            sideRate: self.sideRate,
            narrator: self.narrator,
            crashes: crashes,
            memoryFate: { [unowned self] in self.memoryFate() }
        )
        self.workers.append(worker)
        return worker
    }

    /// The process is gone, between two turns: nothing is said to anybody.
    package func kill(_ worker: SimulatedWorker) {
        self.workers.removeAll { $0 === worker }
        worker.broker.kill()
        self.narrator?.tell(worker.name, "is killed")
        self.cluster.violations += worker.upstream.violations
        self.cluster.remove(worker.broker)
    }

    /// Has something happen when so much time has passed.
    package func after(_ delay: Duration, _ event: @escaping () -> Void) { self.timeline.after(delay, event) }

    /// Lets time pass until something holds.
    ///
    /// - Returns: whether it did, in the time given.
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
