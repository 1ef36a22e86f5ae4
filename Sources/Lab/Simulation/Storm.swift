import Records
import ServiceKit
import WorkerKit

/// A random run of call engines in which everything can go wrong, drawn from one seed.
///
/// Workers die at any moment, partitions come and go, and brokers and upstreams fail, lie or do not answer.
/// No promise of the engine may be broken meanwhile, and when the faults have ended, every record must be
/// settled.
package final class Storm: SeededStorm, CallStorm {
    /// The seed of all random decisions.
    package let seed: UInt64
    let simulation: Simulation
    let plan: StormPlan
    var random: SplitMix64
    /// The endpoints that are down.
    var down: Set<SimulatedHandler.Endpoint> = []
    /// Whether the faults have ended.
    var isCalm = false
    /// Whether poison records get ordinary answers.
    var isCured = false
    /// The attempts made so far for each record, for records that fail only a few times.
    var troubles: [RecordName: Int] = [:]
    /// The number of faults that were injected.
    package internal(set) var faults = 0
    var complaints: [String] = []
    /// The handler under test with its records and its upstream; nil for the simulation's own.
    let subject: StormSubject?
    /// The ends that the records of the subject may have.
    var ends: [RecordName: Set<String>] = [:]

    /// Plans a run. One seed always gives the same run.
    package convenience init(seed: UInt64, narrator: Narrator? = nil) {
        self.init(seed: seed, of: nil, narrator: narrator)
    }

    /// Plans a run of a handler. One seed always gives the same run.
    ///
    /// - Parameter subject: The handler with its records and its upstream; nil for the simulation's own.
    package init(seed: UInt64, of subject: StormSubject?, narrator: Narrator? = nil) {
        self.seed = seed
        self.subject = subject
        var random = SplitMix64(seed: seed &* 7_919 &+ 1)
        let plan = StormPlan(using: &random)
        self.plan = plan
        narrator?.tell("seed \(seed)", "\(plan)")
        self.simulation = Simulation(partitions: plan.partitions, narrator: narrator) { plan.adjust(&$0) }
        self.simulation.sideRate = plan.sideRate
        self.simulation.batches = plan.batches
        if plan.hasParkingTopic { self.simulation.makeParkingTopic() }
        self.simulation.handler = subject?.handler
        self.simulation.cluster.sharesRequests = subject?.sharesRequests == true
        if let subject { self.simulation.cluster.waitsAlone = subject.waitsAlone }
        self.simulation.cluster.channelTopics = Set(subject?.handler.channelTopics ?? [])
        self.simulation.settings.channelTopics = subject?.handler.channelTopics ?? []
        self.random = random
    }

    /// The number of records that were published.
    package var records: Int { self.simulation.cluster.inputs.count }
    /// The seconds that have passed on the simulated clock.
    package var seconds: Double { self.simulation.seconds }

    /// A hash of everything that was published. Two runs with different hashes differ.
    package var fingerprint: UInt64 { self.simulation.cluster.visible.fingerprint }

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
        try self.pass(self.plan.calmAfter)
        self.calmDown()
        try self.settleEverything()
        try self.pass(.seconds(30))
        // A worker may still wait for the answer to a commit that the cluster already shows.
        try self.pass(.seconds(120)) { self.workers.allSatisfy(\.isEmpty) }
        if !self.simulation.isBroken {
            self.judgeTheEnd()
            try self.stopEverybody(within: .seconds(30))
        }
    }

    private func settleEverything() throws {
        let cluster = self.simulation.cluster
        let patience = self.plan.patience(clockWasStepped: self.simulation.clock.hasBeenStepped)
        let isOver = try self.pass(patience) {
            cluster.isEverythingSettled && cluster.isEverythingCommitted
        }
        guard !isOver else { return }
        self.complaints.append("not settled \(patience) after the last fault: \(self.unsettled)")
    }

    private func calmDown() {
        self.isCalm = true
        self.down = []
        // At least one worker must run to settle the remaining records.
        if self.simulation.workers.allSatisfy(\.hasEnded) { self.simulation.startWorker() }
        // A poison record without healthy records beside it looks the same as an outage. It waits until its
        // deadline, and so do the records behind it. The upstream therefore answers poison like other records
        // after a while.
        self.simulation.after(.seconds(120)) { self.isCured = true }
    }

    // MARK: the shares of faults

    var calmAfter: Duration { self.plan.calmAfter }
    var produceTrouble: Double { self.plan.produceTrouble }
    var commitTrouble: Double { self.plan.commitTrouble }

    // MARK: the end

    private func judgeTheEnd() {
        let cluster = self.simulation.cluster
        for record in cluster.inputs {
            let name = RecordName(partition: record.partition, offset: record.offset)
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            for outcome in cluster.outcomes[name] ?? [] {
                self.judge(outcome, value)
                self.judgeChannels(of: outcome)
            }
        }
        for worker in self.simulation.workers where !worker.isEmpty {
            self.complaints.append("\(worker.name) has something left in hand that has been settled")
        }
    }

    /// Checks that the channels of the subject have what the outcome says that they were sent.
    private func judgeChannels(of outcome: SimulatedOutcome) {
        guard self.subject != nil, let expected = Int(outcome.answer) else { return }
        let count = self.simulation.cluster.channelCounts[outcome.id, default: 0]
        let isRight = self.simulation.cluster.isExactlyOnce ? count == expected : count >= expected
        if !isRight {
            self.complaints.append("channels have \(count) records of \(outcome.id) and not \(expected)")
        }
    }

    private static func ends(of value: String) -> Set<String> {
        switch value {
        case "poison", "suspect": ["dead_lettered", "succeeded"]
        case "missing", "refused": ["rejected"]
        case "wrong", "undecodable": ["dead_lettered"]
        default: ["succeeded"]
        }
    }

    private func judge(_ outcome: SimulatedOutcome, _ value: String) {
        if outcome.id != "work/\(outcome.partition)/\(outcome.offset)" {
            self.complaints.append("\(outcome.id) is not the id of its record")
        }
        if outcome.fate == "expired", self.plan.isHurried { return }
        if outcome.reason == "head_of_line", self.plan.hasGaps { return }
        let name = outcome.name
        let allowed = self.subject == nil ? Self.ends(of: value) : self.ends[name] ?? []
        if !allowed.contains(outcome.fate) {
            self.complaints.append("\(outcome.id), \(value), has ended as \(outcome.fate): \(outcome.reason)")
        }
        guard outcome.fate == "dead_lettered" else { return }
        if self.simulation.cluster.letters[outcome.deadLetterID] == nil {
            self.complaints.append("\(outcome.id) names a dead letter that is not there")
        }
    }
}
