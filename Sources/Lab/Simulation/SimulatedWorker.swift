import CoreMetrics
import Kafka
import Logging
import Records
import ServiceKit
import WireFormats
package import WorkerKit

/// One simulated worker process: an engine, its client of the cluster, and its upstream. A simulation can
/// kill it.
package final class SimulatedWorker: SimulatedProcess {
    /// The worker's client of the cluster.
    package let broker: SimulatedBroker
    /// The upstream as this worker sees it.
    package let upstream: SimulatedUpstream
    /// The engine under test.
    package let engine: Engine<SimulatedBroker, SimulatedUpstream>
    /// The log lines of the worker.
    package let log: RecordedLog
    /// The time at which the engine's thread wakes up if nothing arrives, in monotonic nanoseconds.
    package var wakesAt: Int64 = .min
    /// Whether the engine has ended.
    package private(set) var hasEnded = false
    private var sleep = SleepJudge()
    private var silence: SilenceJudge

    /// The milliseconds by which the machine's wall clock is ahead of the brokers'.
    private var wallStep: Int64 = 0
    private let settings: EngineSettings
    /// Reads the parking topic; nil without one.
    package let memory: SimulatedMemory?
    let name: String
    /// The time until which the process is stopped, as by SIGSTOP.
    package var stoppedUntil: Int64 = .min

    init(
        _ cluster: SimulatedCluster,
        _ upstream: SimulatedUpstream,
        settings: EngineSettings,
        handler: ErasedHandler,
        number: UInt64,
        sideRate: RateLimit.Settings?,
        narrator: Narrator?,
        crashes: CrashRecorder?,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        tracer: Tracer? = nil,
        memoryFate: @escaping () -> SimulatedMemory.Fate = { SimulatedMemory.Fate() }
    ) {
        self.name = "worker \(number)"
        let broker = SimulatedBroker(cluster, number: Int(number), settings, sideRate: sideRate)
        self.broker = broker
        self.upstream = upstream
        self.settings = settings
        self.silence = SilenceJudge(longestWait: settings.retryTiers.map(\.delay).max() ?? .zero)
        let memory = cluster.parking.map { SimulatedMemory($0, of: broker, fate: memoryFate) }
        self.memory = memory
        let log = RecordedLog(of: self.name, narrator)
        self.log = log
        self.engine = Engine(
            settings: settings,
            facts: ClusterFacts(
                clusterID: cluster.id,
                resultPartitions: 4,
                deadLetterPartitions: 1,
                consumedPartitions: cluster.logs.count,
                isInputCompacted: cluster.isInputCompacted,
                retryPartitions: cluster.retryPartitions
            ),
            handler: handler,
            broker: self.broker,
            upstream: upstream,
            metrics: EngineMetrics(factory: metrics, upstream: "simulated"),
            logger: Logger(label: "simulation") { _ in RecordedLog.Handler(log: log) },
            crashes: crashes,
            lot: memory.map {
                ParkingLot(
                    topic: SimulatedCluster.parkingTopic,
                    partitions: Int32(cluster.partitions),
                    memory: $0
                )
            },
            tracer: tracer,
            seed: number
        )
        self.broker.partitionsGivenUp = { [unowned upstream] in upstream.orphanEverything() }
        self.broker.callBytes = { [unowned upstream] in upstream.bytesInHand }
        upstream.waitsAlone = { [unowned cluster] in cluster.waitsAlone($0) }
        upstream.mayJudgePauses = cluster.isExactlyOnce || cluster.retryTopics.isEmpty
        upstream.isAlive = { [unowned broker = self.broker] in broker.isAlive() }
        upstream.judge = { [unowned self, unowned cluster] call in self.judge(call, of: cluster) }
        cluster.join(self.broker)
    }

    /// Checks everything that must hold when a call begins.
    private func judge(_ call: SimulatedUpstream.Call, of cluster: SimulatedCluster) {
        cluster.narrator?.tell(self.name, "calls \(call.endpoint) for \(call.record) \(call.value)")
        if self.broker.owned.isDisjoint(with: cluster.places(of: call)) {
            cluster.violations.append("\(call) is not ours to make")
        }
        if cluster.isExactlyOnce, !cluster.clock.hasBeenStepped, let due = cluster.due(call),
            due > cluster.clock.now.wall
        {
            cluster.violations.append("\(call) comes \(due - cluster.clock.now.wall) ms early")
        }
        // The engine hands no further call to a batch then, but those that it has handed over are sent.
        if self.broker.hasToldOfRevocation, !call.isFollowUp, !call.isJoined {
            cluster.violations.append("\(call) begins after the group asked for its partition")
        }
        if self.upstream.callsInFlight >= self.settings.concurrency {
            cluster.violations.append("\(call) is one too many at once")
        }
        self.broker.judgeRate(of: call)
        self.judgeDeadline(call, of: cluster)
        self.judgeOrder(call, of: cluster)
    }

    private func judgeDeadline(_ call: SimulatedUpstream.Call, of cluster: SimulatedCluster) {
        guard !cluster.clock.hasBeenStepped, let deadline = cluster.deadline(call.offset, in: call.partition)
        else {
            return
        }
        let late = cluster.clock.now.wall.addingClamped(-deadline)
        // A call of a batch has waited for its turn since it was handed over.
        if late >= 0, !call.isJoined {
            cluster.violations.append("\(call) begins \(late) ms after the deadline of its record")
        }
    }

    private func judgeOrder(_ call: SimulatedUpstream.Call, of cluster: SimulatedCluster) {
        // A key can lose its order for a while, and only the engine knows which keys have.
        guard self.settings.bypass.threshold == nil else { return }
        let ordering = self.settings.ordering
        guard ordering == .partition || ordering == .key && call.key != nil else { return }
        let mates: (Int32, String?) -> Bool =
            switch ordering {
            case .none: { _, _ in false }
            case .partition: { other, _ in other == call.partition }
            case .key: { other, key in other == call.partition && key == call.key }
            }
        if self.upstream.awaited.contains(where: { mates($0.partition, $0.key) }) {
            cluster.violations.append("\(call) overtakes a call of its own order")
        }
        for earlier in cluster.predecessors(of: call.offset, in: call.partition) {
            let name = RecordName(partition: call.partition, offset: earlier)
            if cluster.outcomes[name] == nil, !self.broker.hasAcknowledged(name) {
                cluster.violations.append("\(call) overtakes \(earlier)")
            }
        }
    }

    /// Sets the wall clock of the worker's machine forward or back.
    package func stepWall(by step: Duration) {
        self.wallStep += step.wholeMilliseconds
        self.broker.cluster.clock.workerWasStepped()
    }

    /// Asks the worker to stop, as by SIGTERM.
    package func stop() {
        self.engine.stop()
        self.broker.stopAsked()
        self.wakesAt = .min
    }

    /// The time at which this worker has something to do, in monotonic nanoseconds.
    package var nextDue: Int64 {
        if self.stoppedUntil > self.upstream.clock.now.monotonic { return self.stoppedUntil }
        let arrivals = [
            self.engine.awaitsMemory ? self.memory?.nextDue : nil, self.broker.nextDue,
            self.upstream.nextDeadline.map { self.upstream.clock.now.after($0) },
        ]
        return min(self.wakesAt, arrivals.compactMap { $0 }.min() ?? .max)
    }

    /// Gives the engine one turn, and checks it.
    package func turn() throws {
        var now = self.upstream.clock.now
        now.wall += self.wallStep
        // The process sleeps until then, and nothing has arrived that would wake it earlier.
        let asleepUntil = self.broker.hasNews ? .min : self.nextDue
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
        // The acts of a process after its death are not judged.
        guard !self.broker.isDead else { return }
        if self.broker.requests > requests { self.judgeSleep(until: asleepUntil) }
        self.broker.cluster.violations += self.engine.disagreements(callsOut: self.upstream.inFlight.count)
    }

    private func judgeSleep(until wake: Int64) {
        guard !self.broker.hasSwept,
            let late = self.sleep.overslept(until: wake, at: self.upstream.clock.now)
        else { return }
        self.broker.cluster.violations.append("\(self.name) would have overslept by \(late) ns")
    }

    /// Adds a violation if the worker stands still and reports that it is ready. The simulation should call
    /// this about once a second.
    package func judgeSilence() {
        let now = self.upstream.clock.now.monotonic
        let isAwake = !self.hasEnded && self.stoppedUntil <= now && self.broker.membership == .assigned
        let hasWorkInHand = self.engine.recordsInHand > 0 && !self.engine.areAllDelayed
        let stood = self.silence.look(
            at: now,
            progress: self.broker.progress,
            hasLag: isAwake && (self.broker.hasUnread || hasWorkInHand),
            unreadiness: self.engine.unreadiness
        )
        guard let stood else { return }
        let standing = "\(self.name) has stood still for \(stood.components.seconds) s"
        self.broker.cluster.violations.append(
            "\(standing) with \(self.engine.recordsInHand) records in hand, and calls itself ready"
        )
    }

    /// Whether the engine holds nothing of any record.
    package var isEmpty: Bool { self.engine.isEmpty }
}
