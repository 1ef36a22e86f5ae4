import Records
import StreamKit
import WorkerKit

/// A storm over stream engines, from one seed: workers that die at any moment, or that the group takes for dead while
/// they work on, transactions that nobody answers for, changelogs that are slow to read and slow to be decided.
/// Whatever happens, every record counts once, and the state can be told again; and when it stops happening, everything
/// is counted.
package final class StreamStorm: SeededStorm, Weather {
    package let seed: UInt64
    let plan: StreamPlan
    let simulation: StreamSimulation
    var random: SplitMix64
    /// Nothing gets through to the brokers, or back.
    var isDown = false
    private(set) var isCalm = false
    package internal(set) var faults = 0
    private var complaints: [String] = []

    package init(seed: UInt64, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 3)
        self.plan = StreamPlan(using: &random)
        narrator?.tell("seed \(seed)", "\(self.plan)")
        self.random = random
        self.simulation = StreamSimulation(narrator: narrator, self.plan.setup)
    }

    /// What there was of it.
    package var records: Int { self.cluster.inputs.count }
    package var seconds: Double { self.timeline.seconds }

    /// Tells this run from another that went differently anywhere.
    package var fingerprint: UInt64 { self.cluster.fingerprint }

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: what went wrong, in words; empty if nothing did.
    package func run() -> [String] {
        do {
            try self.play()
        } catch {
            self.complaints.append("\(error)")
        }
        return self.complaints + self.cluster.violations.prefix(5)
    }

    private func play() throws {
        self.setTroubles()
        self.planRecords()
        self.planNudges(self.plan.nudges)
        for _ in 0..<Int.random(in: 0...8, using: &self.random) { self.planFault() }
        for _ in 0..<Int.random(in: 1...3, using: &self.random) { self.simulation.startWorker() }
        try self.simulation.run(for: self.calmAfter)
        self.calmDown()
        try self.settleEverything()
        try self.simulation.run(for: .seconds(20))
        guard self.simulation.violations.isEmpty else { return }
        self.simulation.judgeTheEnd()
        try self.stopEverybody()
    }

    private func calmDown() {
        self.isCalm = true
        self.isDown = false
        // Whoever is left must be there to settle the rest.
        if self.workers.allSatisfy(\.hasEnded) { self.simulation.startWorker() }
    }

    private func settleEverything() throws {
        let patience = self.plan.patience(clockWasStepped: self.timeline.clock.hasBeenStepped)
        let isOver = try self.simulation.settleEverything(within: patience)
        if !isOver {
            self.complaints.append("not settled \(patience) after the last fault: \(self.unsettled)")
        }
    }

    private var unsettled: [String] {
        self.cluster.inputs.filter { self.cluster.outcome($0.offset, in: $0.partition) == nil }.map(\.place)
            + self.workers.compactMap { worker in worker.engine.unreadiness.map { "\(worker.name): \($0)" } }
    }

    private func stopEverybody() throws {
        for worker in self.workers { worker.stop() }
        let haveEnded = try self.simulation.run(for: .seconds(60)) { self.workers.allSatisfy(\.hasEnded) }
        if !haveEnded { self.complaints.append("somebody does not stop") }
    }

    // MARK: - What the weather is made of

    var timeline: Timeline { self.simulation.timeline }
    var cluster: SimulatedCluster { self.simulation.cluster }
    var workers: [StreamWorker] { self.simulation.workers }
    var calmAfter: Duration { self.plan.calmAfter }
    var produceTrouble: Double { self.isDown ? 1 : self.plan.produceTrouble }
    var commitTrouble: Double { self.isDown ? 1 : self.plan.commitTrouble }
}
