import Records
import WireFormats
package import WorkerKit

/// A cluster, an upstream and workers, on one clock. Workers sleep as long as they say they may, and not a
/// nanosecond less, so whoever forgets to wake up sleeps on.
package final class Simulation {
    package let clock = SimulatedClock()
    package let cluster: SimulatedCluster
    package var settings: EngineSettings
    /// Calls a second that the fleet may make of the side endpoint, if there is a limit.
    package var sideRate: RateLimit.Settings?
    package private(set) var workers: [SimulatedWorker] = []
    /// How the upstream answers, whichever worker asks.
    package var reply: (SimulatedUpstream.Call) -> SimulatedUpstream.Reply = { _ in
        SimulatedUpstream.Reply(200)
    }
    private var plans = DueQueue<() -> Void>()
    private var nudges = DueQueue<Void>()
    private var started: UInt64 = 0
    let narrator: Narrator?

    package init(
        partitions: Int = 1,
        narrator: Narrator? = nil,
        _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) {
        self.narrator = narrator
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
            clock: self.clock,
            partitions: partitions,
            retryTopics: settings.retryTiers.map(\.topic)
        )
        self.cluster.narrator = narrator
        self.cluster.comesAfter = settings.comesAfter
        self.cluster.deadline = settings.deadline
        self.cluster.isExactlyOnce = settings.delivery == .exactlyOnce
    }

    package var seconds: Double { Double(self.clock.now.monotonic - 1_000_000_000) / 1e9 }
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
            crashes: crashes
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
    package func after(_ delay: Duration, _ event: @escaping () -> Void) {
        self.plans.add(event, due: self.clock.now.after(delay))
    }

    /// Gives every worker a turn when so much time has passed, for no reason: who sleeps as long as there is nothing
    /// to do, finds nothing to do.
    func nudge(after delay: Duration) { self.nudges.add((), due: self.clock.now.after(delay)) }

    /// Lets time pass until something holds.
    ///
    /// - Returns: whether it did, in the time given.
    @discardableResult
    package func run(for longest: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        let end = self.clock.now.after(longest)
        while !isDone() {
            let dues =
                self.workers.filter { !$0.hasEnded }.map(\.nextDue)
                + [self.plans, self.cluster.network].map { $0.nextDue ?? .max } + [
                    self.nudges.nextDue ?? .max
                ]
            let next = max(self.clock.now.monotonic, dues.min() ?? .max)
            guard next <= end else {
                self.clock.advance(to: end)
                return isDone()
            }
            self.clock.advance(to: next)
            self.narrator?.timeIs(next)
            while let event = self.plans.popDue(at: next) {
                event()
                // Whatever happened, a descriptor may have become readable.
                for worker in self.workers { worker.wakesAt = .min }
            }
            while let effect = self.cluster.network.popDue(at: next) { effect() }
            let isNudge = self.nudges.popDue(at: next) != nil
            for worker in self.workers where worker.isDue(at: next, isNudge: isNudge) {
                try worker.turn()
                if worker.broker.isDead { self.kill(worker) }
            }
        }
        return true
    }

    /// Lets time pass until every record has its outcome and every offset is committed.
    @discardableResult
    package func settleEverything(within longest: Duration = .seconds(3_600)) throws -> Bool {
        try self.run(for: longest) { self.cluster.isEverythingSettled && self.cluster.isEverythingCommitted }
    }
}

extension EngineSettings {
    /// What their order asks of two records of a partition. Which keys have lost it for a while, only the engine knows.
    fileprivate var comesAfter: ((InboundRecord, InboundRecord) -> Bool)? {
        guard self.bypass.threshold == nil else { return nil }
        return switch self.ordering {
        case .none: nil
        case .partition: { _, _ in true }
        case .key: { $0.key != nil && $0.key == $1.key }
        }
    }
}
