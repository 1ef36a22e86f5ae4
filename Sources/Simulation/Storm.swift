import Records
import WorkerKit

/// Everything at once, from one seed: workers that die at any moment, partitions that come and go, brokers and
/// upstreams that fail, lie and fall silent. Whatever happens, no promise may break; and when it stops happening,
/// everything has to be settled.
package final class Storm: SeededStorm, CallStorm {
    package let seed: UInt64
    let simulation: Simulation
    let plan: StormPlan
    var random: SplitMix64
    /// The endpoints that are down, and whether the troubles are over.
    var down: Set<SimulatedHandler.Endpoint> = []
    var isCalm = false
    var isCured = false
    /// Attempts so far of records that fail only so often.
    var troubles: [SimulatedCluster.RecordName: Int] = [:]
    /// Things that were made to go wrong.
    package internal(set) var faults = 0
    var complaints: [String] = []

    package init(seed: UInt64, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 1)
        let plan = StormPlan(using: &random)
        self.plan = plan
        narrator?.tell("seed \(seed)", "\(plan)")
        self.simulation = Simulation(partitions: plan.partitions, narrator: narrator) { plan.adjust(&$0) }
        self.simulation.sideRate = plan.sideRate
        if plan.hasParkingTopic { self.simulation.makeParkingTopic() }
        self.random = random
    }

    /// What there was of it.
    package var records: Int { self.simulation.cluster.inputs.count }
    package var seconds: Double { self.simulation.seconds }

    /// Tells this run from another that went differently anywhere.
    package var fingerprint: UInt64 { self.simulation.cluster.fingerprint }

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: what went wrong, in words; empty if nothing did.
    package func run() -> [String] {
        do {
            try self.play()
        } catch {
            self.complaints.append("\(error)")
        }
        return self.complaints
    }

    private func play() throws {
        self.setTroubles()
        self.planRecords()
        self.planNudges(self.plan.nudges)
        for _ in 0..<Int.random(in: 0...8, using: &self.random) { self.planFault() }
        for _ in 0..<Int.random(in: 1...3, using: &self.random) { self.simulation.startWorker() }
        try self.step(for: self.plan.calmAfter)
        self.calmDown()
        try self.settleEverything()
        try self.step(for: .seconds(30))
        // Somebody may still wait for the answer to a commit that everybody else has long seen.
        _ = try self.simulation.run(for: .seconds(120)) {
            self.simulation.isBroken || self.simulation.workers.allSatisfy(\.isEmpty)
        }
        if !self.simulation.isBroken {
            self.judgeTheEnd()
            try self.stopEverybody()
        }
        self.complaints += self.simulation.violations.prefix(5)
    }

    private func settleEverything() throws {
        let cluster = self.simulation.cluster
        let patience = self.plan.patience(clockWasStepped: self.simulation.clock.hasBeenStepped)
        let isOver = try self.simulation.run(for: patience) {
            self.simulation.isBroken || cluster.isEverythingSettled && cluster.isEverythingCommitted
        }
        guard !isOver else { return }
        self.complaints.append("not settled \(patience) after the last fault: \(self.unsettled)")
    }

    private func calmDown() {
        self.isCalm = true
        self.down = []
        // Whoever is left must be there to settle the rest.
        if self.simulation.workers.allSatisfy(\.hasEnded) { self.simulation.startWorker() }
        // Poison that nobody healthy keeps company lives until its deadline, and whoever waits behind it with it:
        // from an outage it cannot be told. So it is cured, some day.
        self.simulation.after(.seconds(120)) { self.isCured = true }
    }

    // MARK: what the weather is made of

    var calmAfter: Duration { self.plan.calmAfter }
    var produceTrouble: Double { self.plan.produceTrouble }
    var commitTrouble: Double { self.plan.commitTrouble }

    // MARK: the end

    private func judgeTheEnd() {
        let cluster = self.simulation.cluster
        for record in cluster.inputs {
            let name = SimulatedCluster.RecordName(partition: record.partition, offset: record.offset)
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            for outcome in cluster.outcomes[name] ?? [] { self.judge(outcome, value) }
        }
        for worker in self.simulation.workers where !worker.isEmpty {
            self.complaints.append("\(worker.name) has something left in hand that has been settled")
        }
    }

    private func judge(_ outcome: SimulatedOutcome, _ value: String) {
        if outcome.id != "work/\(outcome.partition)/\(outcome.offset)" {
            self.complaints.append("\(outcome.id) is not the id of its record")
        }
        if outcome.fate == "expired", self.plan.isHurried { return }
        if outcome.reason == "head_of_line", self.plan.hasGaps { return }
        let allowed: Set<String> =
            switch value {
            case "poison", "suspect": ["dead_lettered", "succeeded"]
            case "missing", "refused": ["rejected"]
            case "wrong", "undecodable": ["dead_lettered"]
            default: ["succeeded"]
            }
        if !allowed.contains(outcome.fate) {
            self.complaints.append("\(outcome.id), \(value), has ended as \(outcome.fate): \(outcome.reason)")
        }
        guard outcome.fate == "dead_lettered" else { return }
        if self.simulation.cluster.letters[outcome.deadLetterID] == nil {
            self.complaints.append("\(outcome.id) names a dead letter that is not there")
        }
    }
}
