import CoreMetrics
import Kafka
import Logging
import ServiceKit
package import StreamKit
import WorkerKit

/// One simulated process of a stream worker: an engine, its client of the cluster, and its reader of
/// changelogs. A simulation can kill it.
package final class StreamWorker: SimulatedProcess {
    /// The worker's client of the cluster.
    package let broker: SimulatedBroker
    /// The engine under test.
    package let engine: StreamEngine<SimulatedBroker, SimulatedMemory>
    /// The id of the cluster, as the engine is told it.
    static let clusterID = "simulated"
    private static let groupID = "workers"
    /// The log lines of the worker.
    package let log: RecordedLog
    let name: String
    /// The time at which the engine's thread wakes up if nothing arrives, in monotonic nanoseconds.
    package var wakesAt: Int64 = .min
    /// Whether the engine has ended.
    package private(set) var hasEnded = false
    /// The time until which the process is stopped, as by SIGSTOP.
    package var stoppedUntil: Int64 = .min
    /// Reads states back.
    package let memory: SimulatedMemory
    /// The judge inside the process; nil where the application has none.
    private let watch: StreamWatch?
    private let clock: SimulatedClock
    private let judgesSleep: Bool
    private var sleep = SleepJudge()
    private var silence = SilenceJudge()
    /// The milliseconds by which the machine's wall clock is ahead of the brokers'.
    private var wallStep: Int64

    /// Starts a process, which joins the group.
    ///
    /// - Parameters:
    ///   - lead: how far the wall clock of its machine is ahead of the brokers'.
    ///   - metrics: takes the metrics of the worker.
    ///   - memoryFate: decides the speed and the errors of each reading of a changelog.
    ///   - application: makes the application under test for its client of the cluster.
    init(
        _ topics: StreamTopics,
        in cluster: SimulatedCluster,
        setup: StreamSetup,
        number: UInt64,
        aheadBy lead: Duration = .zero,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        memoryFate: @escaping () -> SimulatedMemory.Fate,
        application: (SimulatedBroker) -> any StreamApplication
    ) {
        self.name = "worker \(number)"
        self.clock = cluster.clock
        self.wallStep = lead.wholeMilliseconds
        self.judgesSleep = setup.isPunctual
        self.broker = SimulatedBroker(cluster, number: Int(number), setup.limits, sideRate: nil)
        self.memory = SimulatedMemory(topics, of: self.broker, fate: memoryFate)
        let application = application(self.broker)
        self.watch = application as? StreamWatch
        let log = RecordedLog(of: self.name, cluster.narrator)
        self.log = log
        self.engine = StreamEngine(
            settings: setup.settings,
            application: application,
            broker: self.broker,
            memory: self.memory,
            metrics: StreamMetrics(factory: metrics),
            quota: setup.quota,
            logger: Logger(label: "simulation") { _ in RecordedLog.Handler(log: log) },
            crashes: setup.crashes(self.broker),
            clusterID: Self.clusterID,
            groupID: Self.groupID,
            clockLead: self.wallStep,
            seed: number
        )
        cluster.join(self.broker)
    }

    /// The offsets of records that the engine passed to `bury`.
    package var buried: [Int64] { self.watch?.buried ?? [] }

    /// Asks the worker to stop, as by SIGTERM.
    package func stop() {
        self.engine.stop()
        self.broker.stopAsked()
        self.wakesAt = .min
    }

    /// The time at which the worker has something to do, in monotonic nanoseconds.
    package var nextDue: Int64 {
        if self.stoppedUntil > self.clock.now.monotonic { return self.stoppedUntil }
        let arrivals = [self.broker.nextDue, self.memory.nextDue].compactMap { $0 }
        return min(self.broker.hasNews ? .min : self.wakesAt, arrivals.min() ?? .max)
    }

    /// Sets the wall clock of the worker's machine forward or back.
    package func stepWall(by step: Duration) {
        self.wallStep += step.wholeMilliseconds
        self.clock.workerWasStepped()
    }

    /// Gives the engine one turn, and checks it.
    package func turn() throws {
        var now = self.clock.now
        now.wall += self.wallStep
        let asleepUntil = self.nextDue
        let requests = self.broker.requests
        defer { self.broker.turnEnded() }
        switch try self.engine.turn(at: now) {
        case .never:
            self.hasEnded = true
            self.broker.ended()
        case .after(let sleep):
            self.wakesAt = now.after(sleep)
            try self.sleep.turned(at: now, progress: self.broker.progress)
        }
        self.watch?.countBytes(at: now)
        guard self.judgesSleep, !self.broker.isDead, self.broker.requests > requests,
            let late = self.sleep.overslept(until: asleepUntil, at: now)
        else { return }
        self.broker.cluster.violations.append("\(self.name) would have overslept by \(late) ns")
    }

    /// Adds a violation if the worker stands still and reports that it is ready. The simulation should call
    /// this about once a second.
    package func judgeSilence() {
        let now = self.clock.now.monotonic
        let isAwake = !self.hasEnded && self.stoppedUntil <= now
        // Only committed transactions count as progress, because records may be read and given up again.
        let stood = self.silence.look(
            at: now,
            progress: self.broker.committedTransactions,
            hasLag: isAwake && self.broker.hasLag,
            unreadiness: self.engine.unreadiness
        )
        guard let stood else { return }
        self.broker.cluster.violations.append(
            "\(self.name) has stood still for \(stood.components.seconds) s, and calls itself ready"
        )
    }
}
