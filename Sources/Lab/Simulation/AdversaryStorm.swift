import Records
import ServiceKit

/// A random run of call engines with honest publishers and with every kind of adversary, drawn from one seed.
///
/// The cluster works. Each honest record must be settled in time in spite of the adversaries, and a worker
/// that stands still must report it.
package final class AdversaryStorm: SeededStorm, CallStorm {
    /// The seed of all random decisions.
    package let seed: UInt64
    let simulation: Simulation
    let plan: AdversaryPlan
    let honest: HonestPublisher
    var random: SplitMix64
    var isCalm = false
    /// Whether poison records get ordinary answers.
    var isCured = false
    /// Whether the main endpoint, which all publishers use, is down.
    var isDown = false
    /// The number of faults that were injected.
    package internal(set) var faults = 0
    var complaints: [String] = []
    /// The folder in which processes mark the record that they handle; nil in a run without deadly records.
    let deaths: SimulatedDeaths?

    /// Plans a run with any of the kinds that engines of calls can meet. One seed always gives the same run.
    package convenience init(seed: UInt64, narrator: Narrator? = nil) {
        self.init(seed: seed, kinds: Set(AdversaryKind.ofCalls), narrator: narrator)
    }

    /// Plans a run with some kinds of harm only.
    ///
    /// - Parameter kinds: the kinds that the seed may choose from.
    package init(seed: UInt64, kinds: Set<AdversaryKind>, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 5)
        let plan = AdversaryPlan(of: kinds, using: &random)
        self.plan = plan
        narrator?.tell("seed \(seed)", "\(plan)")
        self.simulation = Simulation(partitions: plan.partitions, narrator: narrator) { plan.adjust(&$0) }
        self.simulation.sideRate = plan.sideRate
        self.simulation.batches = plan.batches
        self.simulation.makeParkingTopic()
        self.simulation.cluster.messageLimit = AdversaryPlan.messageLimit
        // If the group's position is set back, some records get a second outcome, which is then no violation.
        if !plan.kinds.isDisjoint(with: [.offsets, .truncated]) {
            self.simulation.cluster.isExactlyOnce = false
        }
        self.honest = HonestPublisher(self.simulation)
        self.deaths = plan.kinds.contains(.deadly) ? SimulatedDeaths() : nil
        self.random = random
    }

    /// The number of records that were published.
    package var records: Int { self.cluster.inputs.count }
    /// The seconds that have passed on the simulated clock.
    package var seconds: Double { self.simulation.seconds }

    /// A hash of everything that was published. Two runs with different hashes differ.
    package var fingerprint: UInt64 { self.cluster.visible.fingerprint }

    var calmAfter: Duration { self.plan.length }
    var produceTrouble: Double { 0 }
    var commitTrouble: Double { 0 }

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    package func run() -> [String] {
        self.judged(self.play)
    }

    private func play() throws {
        self.setReplies()
        self.setBrokerTroubles()
        if self.plan.kinds.contains(.lateTickets) { self.setLateTickets() }
        self.honest.publish(
            perSecond: self.plan.perSecond,
            for: self.plan.publishing,
            then: Self.tail,
            headers: self.plan.headers(lane: "a")
        )
        self.planPublishers()
        self.planFaults()
        for _ in 0..<self.plan.workers { self.startAnother() }
        try self.watch(for: self.plan.publishing + Self.tail)
        self.calmDown()
        let patience = self.plan.patience
        let isOver = try self.watch(for: patience) { [cluster] in
            cluster.isEverythingSettled && cluster.isEverythingCommitted
        }
        if !isOver {
            let unsettled = self.unsettled
            self.complaints.append(
                "not settled in \(patience): \(unsettled.count) records, \(unsettled.prefix(5))"
            )
        }
        try self.watch(for: .seconds(30))
        if !self.simulation.isBroken {
            self.judgeTheEnd()
            try self.stopEverybody(within: .seconds(30))
        }
    }

    /// The time for which the honest publisher goes on after the last record that is judged.
    static let tail = HonestJudge.bound + .seconds(5)

    private func calmDown() {
        self.isCalm = true
        // A poison record without healthy records beside it looks the same as an outage, so the upstream
        // answers poison like other records after a while.
        self.simulation.after(.seconds(300)) { self.isCured = true }
    }

    // MARK: - The end

    private func judgeTheEnd() {
        if self.honest.judge.waiting > 0 {
            self.complaints.append("\(self.honest.judge.waiting) honest records have no outcome")
        }
        self.judgeTheUsual()
        for record in self.cluster.inputs {
            let name = RecordName(partition: record.partition, offset: record.offset)
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            for outcome in self.cluster.outcomes[name] ?? [] { self.judgeFate(of: outcome, value) }
        }
        for worker in self.workers where !worker.isEmpty {
            self.complaints.append("\(worker.name) has something left in hand that has been settled")
        }
    }

    /// Harmful records alone delay hardly any honest one by more than a few seconds.
    private func judgeTheUsual() {
        guard self.plan.kinds.isSubset(of: AdversaryKind.ofRecords) else { return }
        let share = self.honest.judge.share(within: Self.usual)
        guard share < Self.usualShare else { return }
        let percent = (share * 1_000).rounded(.down) / 10
        self.complaints.append("only \(percent) % of the honest records were settled within \(Self.usual)")
    }

    private static let usual = Duration.seconds(5)
    private static let usualShare = 0.99

    private func judgeFate(of outcome: SimulatedOutcome, _ value: String) {
        if outcome.fate == "expired", self.plan.isHurried || value.hasPrefix("far") { return }
        let allowed: Set<String> =
            switch value.split(separator: " ").first {
            case "poison", "late", "hangs": ["dead_lettered", "succeeded"]
            case "suspect": ["dead_lettered", "succeeded"]
            case "refused": ["rejected"]
            // A time after a short deadline is refused.
            case "delayed" where self.plan.isHurried: ["succeeded", "rejected"]
            case "deadly": ["dead_lettered"]
            case "wrong", "undecodable": ["dead_lettered"]
            default: ["succeeded"]
            }
        guard !allowed.contains(outcome.fate) else { return }
        self.complaints.append(
            "\(outcome.id), \(value.prefix(40)), has ended as \(outcome.fate): \(outcome.reason)"
        )
    }
}
