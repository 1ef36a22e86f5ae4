import Kafka
import Records
import ServiceKit
import StreamKit

/// A random run of stream engines with honest publishers and with every kind of adversary, drawn from one
/// seed.
///
/// Each honest record must be counted in time and once in spite of the adversaries, and a worker that stands
/// still must report it.
package final class StreamAdversaryStorm: SeededStorm, StateStorm {
    /// The seed of all random decisions.
    package let seed: UInt64
    let plan: StreamAdversaryPlan
    let simulation: StreamSimulation
    let honest: HonestPublisher
    var random: SplitMix64
    private(set) var isCalm = false
    /// The time until which the brokers fail, in monotonic nanoseconds.
    var downUntil: Int64 = .min
    /// The number of further deaths that are the adversary's doing. Each deadly record can kill three
    /// processes.
    var deathsToExcuse = 0
    /// The number of faults that were injected.
    package internal(set) var faults = 0
    var complaints: [String] = []

    /// Plans a run with any of the kinds that engines of streams can meet. One seed always gives the same
    /// run.
    package convenience init(seed: UInt64, narrator: Narrator? = nil) {
        self.init(seed: seed, kinds: Set(AdversaryKind.ofStreams), narrator: narrator)
    }

    /// Plans a run with some kinds of harm only.
    ///
    /// - Parameter kinds: the kinds that the seed may choose from.
    package init(seed: UInt64, kinds: Set<AdversaryKind>, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 7)
        var plan = StreamAdversaryPlan(of: kinds, using: &random)
        narrator?.tell("seed \(seed)", "\(plan)")
        let crashes = SimulatedCrashes()
        plan.setup.crashes = { crashes.memory(of: $0) }
        self.plan = plan
        self.simulation = StreamSimulation(narrator: narrator, plan.setup)
        // If the group's position is set back, some records get a second outcome, which is then no violation.
        if plan.kinds.contains(.offsets) { self.simulation.cluster.isExactlyOnce = false }
        self.honest = HonestPublisher(self.simulation.cluster, self.simulation.timeline)
        self.random = random
        self.followRecordsHome()
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
        self.honest.publish(perSecond: self.plan.perSecond, for: self.plan.length) {
            ("honest \($0 / 20)", "item \($0)")
        }
        self.planPublishers()
        self.planFaults()
        for _ in 0..<self.plan.workers { self.simulation.startWorker() }
        try self.watch(for: self.plan.length + HonestJudge.bound + .seconds(5))
        self.isCalm = true
        let isOver = try self.watch(for: self.plan.patience) {
            self.cluster.isEverythingSettled && self.cluster.isEverythingCommitted
                && self.simulation.judge.isEverythingTold
        }
        if !isOver { self.complaints.append("not settled in \(self.plan.patience): \(self.unsettled)") }
        try self.watch(for: .seconds(30))
        guard self.simulation.violations.isEmpty else { return }
        if self.honest.judge.waiting > 0 {
            self.complaints.append("\(self.honest.judge.waiting) honest records have no outcome")
        }
        self.simulation.judgeTheEnd()
        try self.stopEverybody(within: .seconds(60))
    }

    // MARK: - Records that are sent on

    /// Assigns the outcome of a record that was sent on to the record's first place. An honest record of a
    /// partition in which items are not counted is settled where it was sent to.
    private func followRecordsHome() {
        let settled = self.cluster.outcomeSeen
        self.cluster.outcomeSeen = { [unowned self] outcome in
            guard outcome.answer != "moved" else { return }
            var outcome = outcome
            let name = outcome.name
            if let origin = self.origin(of: name) {
                outcome.partition = origin.partition
                outcome.offset = origin.offset
            }
            settled(outcome)
        }
    }

    /// Returns the name under which a record was first published; nil if it was not sent on.
    func origin(of name: RecordName) -> RecordName? {
        let place = TopicPartition(topic: SimulatedCluster.topic, partition: name.partition)
        guard let log = self.cluster.logs[place] else { return nil }
        let index = log.index(of: name.offset)
        guard index < log.records.count, let header = log.records[index].header(CountingTask.origin) else {
            return nil
        }
        let parts = String(decoding: header, as: UTF8.self).split(separator: "/")
        guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]) else {
            return nil
        }
        return RecordName(partition: partition, offset: offset)
    }
}
