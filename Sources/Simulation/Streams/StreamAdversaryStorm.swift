import Kafka
import Records
import StreamKit
import WorkerKit

/// Honest publishers of a stream, and beside them everybody who can do harm: from one seed. Whatever the others do, each
/// honest record is counted in time and once, and a worker that stands still says so.
package final class StreamAdversaryStorm: SeededStorm {
    package let seed: UInt64
    let plan: StreamAdversaryPlan
    let simulation: StreamSimulation
    let honest: HonestPublisher
    var random: SplitMix64
    private(set) var isCalm = false
    /// Until when the brokers are down, in the monotonic time.
    var downUntil: Int64 = .min
    /// Deaths that are the adversary's doing: each deadly record is good for two.
    var deathsToExcuse = 0
    package internal(set) var faults = 0
    private var complaints: [String] = []
    /// When the judges of time look next.
    private var nextLook: Int64 = .min

    package convenience init(seed: UInt64, narrator: Narrator? = nil) {
        self.init(seed: seed, kinds: Set(AdversaryKind.ofStreams), narrator: narrator)
    }

    /// - Parameter kinds: what the seed may choose from.
    package init(seed: UInt64, kinds: Set<AdversaryKind>, narrator: Narrator? = nil) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 7_919 &+ 7)
        var plan = StreamAdversaryPlan(of: kinds, using: &random)
        narrator?.tell("seed \(seed)", "\(plan)")
        let crashes = SimulatedCrashes()
        plan.setup.crashes = { crashes.memory(of: $0) }
        self.plan = plan
        self.simulation = StreamSimulation(narrator: narrator, plan.setup)
        // Who moves the group back asks for some outcomes again.
        if plan.kinds.contains(.offsets) { self.simulation.cluster.isExactlyOnce = false }
        self.honest = HonestPublisher(self.simulation.cluster, self.simulation.timeline)
        self.random = random
        self.followRecordsHome()
    }

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
        try self.stopEverybody()
    }

    /// Lets time pass until something holds or a promise is broken, and has the judges of time look once a second.
    ///
    /// - Parameter isDone: asked once a second, too.
    @discardableResult
    private func watch(for length: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        self.nextLook = self.timeline.clock.now.after(.seconds(1))
        return try self.simulation.run(for: length) {
            let now = self.timeline.clock.now
            guard now.monotonic >= self.nextLook else { return false }
            self.nextLook = now.after(.seconds(1))
            self.honest.look()
            for worker in self.workers { worker.judgeSilence() }
            return isDone()
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

    // MARK: - Records that are sent on

    /// An honest record that came in where nothing is counted is settled where it is sent on to.
    private func followRecordsHome() {
        let settled = self.cluster.outcomeSeen
        self.cluster.outcomeSeen = { [unowned self] outcome in
            guard outcome.answer != "moved" else { return }
            var outcome = outcome
            let name = SimulatedCluster.RecordName(partition: outcome.partition, offset: outcome.offset)
            if let origin = self.origin(of: name) {
                outcome.partition = origin.partition
                outcome.offset = origin.offset
            }
            settled(outcome)
        }
    }

    /// The name under which a record came in first; nil if that is its own.
    func origin(of name: SimulatedCluster.RecordName) -> SimulatedCluster.RecordName? {
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
        return SimulatedCluster.RecordName(partition: partition, offset: offset)
    }
}
