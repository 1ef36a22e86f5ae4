import Records
import ServiceKit
import StreamKit

/// A random run of stream engines in which everything can go wrong, drawn from one seed.
///
/// Workers die at any moment, or the group replaces them while they go on working. Transactions get no
/// answer, and changelogs are slow to read and their transactions slow to be decided. In all of this every
/// record must count once, and the state must be readable again. When the faults have ended, everything must
/// be counted.
package final class StreamStorm: SeededStorm, StateStorm {
    /// The seed of all random decisions.
    package let seed: UInt64
    let plan: StreamPlan
    let simulation: StreamSimulation
    var random: SplitMix64
    /// Whether no request reaches the brokers, and no answer comes back.
    var isDown = false
    private(set) var isCalm = false
    /// The number of faults that were injected.
    package internal(set) var faults = 0
    var complaints: [String] = []

    /// Plans a run. One seed always gives the same run.
    package init(seed: UInt64, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 3)
        self.plan = StreamPlan(using: &random)
        narrator?.tell("seed \(seed)", "\(self.plan)")
        self.random = random
        self.simulation = StreamSimulation(narrator: narrator, self.plan.setup)
    }

    /// The number of records that were published.
    package var records: Int { self.cluster.inputs.count }
    /// The seconds that have passed on the simulated clock.
    package var seconds: Double { self.timeline.seconds }

    /// A hash of everything that was published. Two runs with different hashes differ.
    package var fingerprint: UInt64 { self.cluster.visible.fingerprint }

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    package func run() -> [String] {
        self.judged(self.play)
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
        try self.stopEverybody(within: .seconds(60))
    }

    private func calmDown() {
        self.isCalm = true
        self.isDown = false
        // At least one worker must run to settle the remaining records.
        if self.workers.allSatisfy(\.hasEnded) { self.simulation.startWorker() }
    }

    private func settleEverything() throws {
        let patience = self.plan.patience(clockWasStepped: self.timeline.clock.hasBeenStepped)
        let isOver = try self.simulation.settleEverything(within: patience)
        if !isOver {
            self.complaints.append("not settled \(patience) after the last fault: \(self.unsettled)")
        }
    }

    // MARK: - The shares of faults

    var calmAfter: Duration { self.plan.calmAfter }
    var produceTrouble: Double { self.isDown ? 1 : self.plan.produceTrouble }
    var commitTrouble: Double { self.isDown ? 1 : self.plan.commitTrouble }
}
