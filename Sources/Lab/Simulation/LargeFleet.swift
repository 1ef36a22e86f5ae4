import Kafka
import ServiceKit
import WorkerKit

/// Simulates a fleet of many workers and partitions: its start, an even load, a worker that is killed, and workers that
/// are restarted one after the other.
///
/// The group's coordinator deals the partitions without a delay of its own, so the times are the engine's part of a
/// rebalance: every worker ends its calls, commits, and reads on where the partition's last owner has stopped.
package final class LargeFleet {
    private typealias Stretch = LargeFleetReport.Stretch

    private let plan: LargeFleetPlan
    private let simulation: Simulation
    private let honest: HonestPublisher
    private let time: JudgedTime
    private var report: LargeFleetReport
    /// The measurements of the present stretch.
    private var stretch = Stretch()

    /// Prepares a run, which begins with `run()`.
    package init(_ plan: LargeFleetPlan) {
        self.plan = plan
        self.simulation = Simulation(partitions: plan.partitions) { $0.delivery = plan.delivery }
        self.honest = HonestPublisher(self.simulation)
        self.time = JudgedTime(of: self.simulation, self.honest)
        self.report = LargeFleetReport(plan)
        self.simulation.reply = { _ in SimulatedUpstream.Reply(200, after: plan.latency) }
        self.simulation.cluster.commitFate = { [unowned self] positions in
            self.note(positions)
            return .acknowledged(after: .milliseconds(2))
        }
        self.simulation.cluster.transactionFate = { [unowned self] positions in
            self.note(positions)
            return .committed(after: .milliseconds(6))
        }
    }

    /// Runs from the start of the first worker until everything is settled, or until a promise is broken.
    package func run() throws -> LargeFleetReport {
        try self.start()
        // The load is there for all three stretches.
        self.honest.publish(
            perSecond: self.plan.perSecond,
            for: self.plan.length * 3,
            inBurstsOf: max(1, self.plan.perSecond / 20)
        )
        self.report.steady = try self.measured { try self.time.pass(self.plan.length) }
        self.countPartitions()
        self.report.kill = try self.measured {
            self.simulation.kill(self.simulation.worker)
            try self.time.pass(self.plan.length)
        }
        self.report.restarts = try self.measured { try self.restartWorkers() }
        let cluster = self.simulation.cluster
        self.report.settlesEverything = try self.time.pass(.seconds(60)) {
            cluster.isEverythingSettled && cluster.isEverythingCommitted
        }
        self.report.violations = self.simulation.violations
        return self.report
    }

    private func start() throws {
        let began = ContinuousClock.now
        for _ in 0..<self.plan.workers { self.simulation.startWorker() }
        let start = self.simulation.seconds
        let isAssigned = try self.time.pass(.seconds(60)) { [self] in
            self.ownedPartitions == self.plan.partitions
        }
        self.report.assigning = isAssigned ? .seconds(self.simulation.seconds - start) : nil
        self.report.realStart = ContinuousClock.now - began
    }

    private var ownedPartitions: Int {
        self.simulation.workers.reduce(0) { $0 + $1.broker.sources.count }
    }

    private func countPartitions() {
        let counts = self.simulation.workers.map(\.broker.sources.count)
        self.report.fewestPartitions = counts.min() ?? 0
        self.report.mostPartitions = counts.max() ?? 0
    }

    /// Stops one worker after the other as SIGTERM does, and starts another one for each.
    private func restartWorkers() throws {
        let generation = self.simulation.cluster.generation
        for worker in self.simulation.workers.prefix(self.plan.restarts) {
            worker.stop()
            try self.time.pass(.seconds(30)) { worker.hasEnded }
            // The group has shared the partitions of the one that left before the next one is there.
            try self.time.pass(.milliseconds(500))
            self.simulation.startWorker()
            try self.time.pass(.milliseconds(500))
        }
        self.report.rebalances = self.simulation.cluster.generation - generation
        try self.time.pass(self.plan.length - .seconds(self.plan.restarts))
    }

    // MARK: - Measuring

    private func note(_ positions: [CommittedPosition]) {
        self.stretch.commits += 1
        self.stretch.positions += positions.count
        for position in positions {
            let bytes = position.metadata.utf8.count
            self.stretch.metadataBytes += bytes
            self.stretch.mostMetadataBytes = max(self.stretch.mostMetadataBytes, bytes)
        }
    }

    private func measured(_ pass: () throws -> Void) rethrows -> Stretch {
        self.stretch = Stretch()
        let (began, start, settled) = (
            ContinuousClock.now, self.simulation.seconds, self.honest.judge.waits.count
        )
        try pass()
        self.stretch.waits = self.honest.judge.waits[settled...].sorted(by: >)
        self.stretch.records = self.stretch.waits.count
        self.stretch.length = .seconds(self.simulation.seconds - start)
        self.stretch.real = ContinuousClock.now - began
        return self.stretch
    }
}
