import Foundation
import Kafka
import Records
import Testing

@testable import WorkerKit

/// Everything at once, from one seed: whatever happens, no promise breaks, and when it stops happening,
/// everything settles. A failing seed is in the failure's message; `FLOTILLA_SIMULATION_SEEDS` runs more.
struct RandomSimulationTests {
    static let seeds = Int(ProcessInfo.processInfo.environment["FLOTILLA_SIMULATION_SEEDS"] ?? "") ?? 200

    @Test(arguments: 0..<8)
    func noPromiseBreaksWhateverHappens(lane: Int) throws {
        for seed in stride(from: lane, to: Self.seeds, by: 8) {
            let chaos = Chaos(seed: UInt64(seed))
            do {
                try chaos.run()
            } catch {
                chaos.complaints.append("\(error)")
            }
            #expect(chaos.complaints == [], "seed \(seed)")
            if !chaos.complaints.isEmpty { return }
        }
    }
}

/// One random run.
private final class Chaos {
    private var random: SplitMix64
    private let simulation: Simulation
    private let partitions: Int
    private let calmAfter: Duration
    /// Whether the upstream is down, and whether the brokers fail.
    private var isDown = false
    private var isCalm = false
    private var isCured = false
    private let produceTrouble: Double
    private let commitTrouble: Double
    private let flakiness: Double
    /// Attempts so far of records that fail only so often.
    private var troubles: [SimulatedCluster.RecordName: Int] = [:]
    var complaints: [String] = []

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 7_919 &+ 1)
        self.partitions = .random(in: 1...3, using: &random)
        self.calmAfter = .seconds(Int.random(in: 5...120, using: &random))
        self.produceTrouble = Bool.random(using: &random) ? .random(in: 0...0.4, using: &random) : 0
        self.commitTrouble = Bool.random(using: &random) ? .random(in: 0...0.5, using: &random) : 0
        self.flakiness = Bool.random(using: &random) ? .random(in: 0...0.08, using: &random) : 0
        let concurrency = Int.random(in: 1...12, using: &random)
        let ordering = EngineSettings.Ordering.allCases.randomElement(using: &random) ?? .key
        let recordsLimit = Bool.random(using: &random) ? Int.random(in: 10...60, using: &random) : 100_000
        self.simulation = Simulation(partitions: self.partitions) {
            $0.concurrency = concurrency
            $0.ordering = ordering
            $0.recordsLimit = recordsLimit
            $0.deadline = .seconds(6 * 3_600)
            $0.drainLimit = .seconds(3)
            $0.attempts = 8
        }
        self.random = random
    }

    func run() throws {
        self.setTroubles()
        self.planFaults()
        for _ in 0..<Int.random(in: 1...2, using: &self.random) { self.simulation.startWorker() }
        try self.step(for: self.calmAfter)
        self.isCalm = true
        self.isDown = false
        // Poison that nobody healthy keeps company lives until its deadline, and whoever waits behind it with it:
        // from an outage it cannot be told. So it is cured, some day.
        self.simulation.after(.seconds(600)) { self.isCured = true }
        let settled = try self.simulation.settleEverything(within: .seconds(2 * 3_600))
        if !settled { self.complaints.append("never settles: \(self.unsettled)") }
        try self.step(for: .seconds(30))
        self.complaints += self.simulation.violations.prefix(5)
        self.judgeTheEnd()
        try self.stopEverybody()
        self.complaints += self.simulation.violations.prefix(5)
    }

    /// Lets time pass, and looks for broken promises while it does.
    private func step(for duration: Duration) throws {
        try self.simulation.run(for: duration) { !self.simulation.cluster.violations.isEmpty }
    }

    private var unsettled: [String] {
        let cluster = self.simulation.cluster
        return cluster.logs.flatMap(\.records).filter { cluster.outcome($0.offset, in: $0.partition) == nil }
            .map { "\($0.partition)/\($0.offset) \(String(decoding: $0.value ?? [], as: UTF8.self))" }
    }

    // MARK: troubles

    private func chance(_ share: Double) -> Bool { .random(in: 0..<1, using: &self.random) < share }

    private func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self.random))
    }

    private func setTroubles() {
        self.simulation.reply = { [unowned self] in self.reply(to: $0) }
        self.simulation.cluster.produceFate = { [unowned self] _ in
            let delay = self.milliseconds(1...40)
            guard !self.isCalm, self.chance(self.produceTrouble) else { return .acknowledged(after: delay) }
            switch Int.random(in: 0..<4, using: &self.random) {
            case 0: return .refused(.queueFull)
            case 1: return .refused(.timedOut)
            default: return .failed(.timedOut, after: delay, isWritten: self.chance(0.5))
            }
        }
        self.simulation.cluster.commitFate = { [unowned self] _ in
            let delay = self.milliseconds(1...300)
            guard !self.isCalm, self.chance(self.commitTrouble) else { return .acknowledged(after: delay) }
            return self.chance(0.3)
                ? .refused(.timedOut) : .failed(.timedOut, after: delay, isStored: self.chance(0.5))
        }
        self.simulation.cluster.committedFate = { [unowned self] in
            !self.isCalm && self.chance(self.commitTrouble) ? .timedOut : nil
        }
    }

    private func reply(to call: SimulatedUpstream.Call) -> SimulatedUpstream.Reply {
        typealias Reply = SimulatedUpstream.Reply
        let latency = self.milliseconds(self.chance(0.05) ? 500...4_000 : 1...80)
        if self.isDown { return self.chance(0.5) ? Reply(503, after: latency) : .timeout(after: latency) }
        if !self.isCalm, self.chance(self.flakiness) {
            return self.chance(0.3) ? Reply(429, after: latency, retryAfter: 2) : Reply(500, after: latency)
        }
        let name = SimulatedCluster.RecordName(partition: call.partition, offset: call.offset)
        self.troubles[name, default: 0] += 1
        let isEarly = self.troubles[name, default: 0] <= 2
        switch call.value {
        case "poison" where !self.isCured: return Reply(500, after: latency)
        case "late": return isEarly ? Reply(409, after: latency, retryAfter: 1) : Reply(200, after: latency)
        case "twice": return Reply(call.isFollowUp ? 200 : 300, after: latency)
        case "missing": return Reply(404, after: latency)
        case "wrong": return Reply(422, after: latency)
        case "suspect" where !self.isCured: return Reply(403, after: latency)
        case "held": return isEarly ? Reply(401, after: latency) : Reply(200, after: latency)
        case "all held": return isEarly ? Reply(402, after: latency) : Reply(200, after: latency)
        default: return Reply(200, after: latency)
        }
    }

    private func planFaults() {
        let cluster = self.simulation.cluster
        let kinds =
            [String](repeating: "ok", count: 14)
            + [
                "poison", "late", "twice", "missing", "wrong", "suspect", "held", "all held", "known",
                "refused",
                "undecodable",
            ]
        for _ in 0..<Int.random(in: 10...80, using: &self.random) {
            let value = kinds.randomElement(using: &self.random) ?? "ok"
            let key = self.chance(0.8) ? "k\(Int.random(in: 0..<6, using: &self.random))" : nil
            let partition = Int32.random(in: 0..<Int32(self.partitions), using: &self.random)
            let lane = self.chance(0.7) ? "a" : "b"
            let gap: Int64 = self.chance(0.1) ? .random(in: 1...20, using: &self.random) : 0
            self.plan(within: 0.8) {
                let headers = [RecordHeader("lane", lane)]
                cluster.append(value, key: key, to: partition, headers: headers, skipping: gap)
            }
        }
        for _ in 0..<Int.random(in: 0...6, using: &self.random) { self.planFault() }
    }

    private func planFault() {
        let simulation = self.simulation
        switch Int.random(in: 0..<7, using: &self.random) {
        case 0: self.plan { simulation.cluster.rebalance() }
        case 1:
            self.plan { [unowned self] in
                if let worker = simulation.workers.randomElement(using: &self.random) {
                    simulation.cluster.expel(worker.broker)
                }
            }
        case 2:
            self.plan { [unowned self] in
                guard let worker = simulation.workers.randomElement(using: &self.random) else { return }
                simulation.kill(worker)
                simulation.startWorker()
            }
        case 3:
            let step = Duration.seconds(Int.random(in: -600...600, using: &self.random))
            self.plan { simulation.clock.stepWall(by: step) }
        case 4: self.plan { simulation.startWorker() }
        case 5:
            self.plan { [unowned self] in
                simulation.workers.randomElement(using: &self.random)?.engine.stop()
                simulation.startWorker()
            }
        default:
            let length = Duration.seconds(Int.random(in: 1...60, using: &self.random))
            self.plan { [unowned self] in
                self.isDown = true
                simulation.after(length) { self.isDown = false }
            }
        }
    }

    private func plan(within share: Double = 1, _ event: @escaping () -> Void) {
        let end = Double(self.calmAfter.wholeNanoseconds) * share
        self.simulation.after(.nanoseconds(Int64(.random(in: 0...end, using: &self.random))), event)
    }

    // MARK: the end

    private func judgeTheEnd() {
        let cluster = self.simulation.cluster
        for record in cluster.logs.flatMap(\.records) {
            let name = SimulatedCluster.RecordName(partition: record.partition, offset: record.offset)
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            for outcome in cluster.outcomes[name] ?? [] { self.judge(outcome, value) }
        }
        for worker in self.simulation.workers where !worker.isEmpty {
            self.complaints.append("something is left")
        }
    }

    private func judge(_ outcome: SimulatedOutcome, _ value: String) {
        if outcome.id != "work/\(outcome.partition)/\(outcome.offset)" {
            self.complaints.append("id \(outcome.id)")
        }
        let allowed: Set<String> =
            switch value {
            case "poison", "suspect": ["dead_lettered", "succeeded"]
            case "missing", "refused": ["rejected"]
            case "wrong", "undecodable": ["dead_lettered"]
            default: ["succeeded"]
            }
        if !allowed.contains(outcome.fate) { self.complaints.append("\(value): \(outcome)") }
        guard outcome.fate == "dead_lettered" else { return }
        if self.simulation.cluster.letters[outcome.deadLetterID] == nil {
            self.complaints.append("no letter: \(outcome)")
        }
    }

    private func stopEverybody() throws {
        for worker in self.simulation.workers {
            worker.engine.stop()
            worker.wakesAt = .min
        }
        let haveEnded = try self.simulation.run(for: .seconds(30)) {
            self.simulation.workers.allSatisfy(\.hasEnded)
        }
        if !haveEnded { self.complaints.append("somebody does not stop") }
    }
}
