import CoreMetrics
import Kafka
import Logging
package import StreamKit
import WorkerKit

/// One stream worker's process: an engine, its client of the cluster and its reader of changelogs. It can be killed.
package final class StreamWorker: SimulatedProcess {
    package let broker: SimulatedBroker
    package let engine: StreamEngine<SimulatedBroker, SimulatedMemory>
    package let log: RecordedLog
    let name: String
    package var wakesAt: Int64 = .min
    package private(set) var hasEnded = false
    package var stoppedUntil: Int64 = .min
    private let memory: SimulatedMemory
    private let watch: StreamWatch
    private let clock: SimulatedClock
    private let judgesSleep: Bool
    private var sleep = SleepJudge()
    private var silence = SilenceJudge()
    /// Milliseconds by which the machine's wall clock is ahead of the brokers'.
    private var wallStep: Int64 = 0

    init(_ simulation: StreamSimulation, _ setup: StreamSetup, number: UInt64) {
        let cluster = simulation.cluster
        self.name = "worker \(number)"
        self.clock = cluster.clock
        self.judgesSleep = setup.isPunctual
        self.broker = SimulatedBroker(cluster, number: Int(number), setup.limits, sideRate: nil)
        self.memory = SimulatedMemory(simulation.topics, of: self.broker) { [unowned simulation] in
            simulation.memoryFate()
        }
        self.watch = StreamWatch(setup, simulation.model, of: self.broker)
        let log = RecordedLog(of: self.name, cluster.narrator)
        self.log = log
        self.engine = StreamEngine(
            settings: setup.settings,
            application: self.watch,
            broker: self.broker,
            memory: self.memory,
            metrics: StreamMetrics(factory: NOOPMetricsHandler.instance),
            quota: setup.quota,
            logger: Logger(label: "simulation") { _ in RecordedLog.Handler(log: log) },
            crashes: setup.crashes(self.broker),
            clusterID: "simulated",
            seed: number
        )
        cluster.join(self.broker)
    }

    /// Offsets of records that it has buried.
    package var buried: [Int64] { self.watch.buried }

    /// Asks the worker to stop, as by SIGTERM.
    package func stop() {
        self.engine.stop()
        self.broker.stopAsked()
        self.wakesAt = .min
    }

    package var nextDue: Int64 {
        if self.stoppedUntil > self.clock.now.monotonic { return self.stoppedUntil }
        let arrivals = [self.broker.nextDue, self.memory.nextDue].compactMap { $0 }
        return min(self.broker.hasNews ? .min : self.wakesAt, arrivals.min() ?? .max)
    }

    package func stepWall(by step: Duration) {
        self.wallStep += step.wholeMilliseconds
        self.clock.workerWasStepped()
    }

    package func turn() throws {
        var now = self.clock.now
        now.wall += self.wallStep
        let asleepUntil = self.nextDue
        let requests = self.broker.requests
        defer { self.broker.turnEnded() }
        switch try self.engine.turn(at: now) {
        case .done:
            self.hasEnded = true
            self.broker.ended()
        case .after(let sleep):
            self.wakesAt = now.after(sleep)
            try self.sleep.turned(at: now)
        }
        self.watch.countBytes(at: now)
        guard self.judgesSleep, !self.broker.isDead, self.broker.requests > requests,
            let late = self.sleep.overslept(until: asleepUntil, at: now)
        else { return }
        self.broker.cluster.violations.append("\(self.name) would have overslept by \(late) ns")
    }

    /// Complains if it stands still and calls itself ready. To be called about once a second.
    func judgeSilence() {
        let now = self.clock.now.monotonic
        let isAwake = !self.hasEnded && self.stoppedUntil <= now
        // Records that are read and given up again are no progress.
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
