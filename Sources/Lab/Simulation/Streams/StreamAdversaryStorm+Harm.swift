import Kafka
import Records
import ServiceKit

// The harmful publishers, and the faults of brokers and processes.
extension StreamAdversaryStorm: Adversary {
    var calmAfter: Duration { self.plan.length }
    var produceTrouble: Double { self.isDown(.silence) ? 1 : 0 }
    var commitTrouble: Double { self.isDown(.silence) ? 1 : 0 }

    var kinds: Set<AdversaryKind> { self.plan.kinds }
    var rebalance: Duration { self.plan.rebalance }
    var takeover: Duration { self.plan.takeover }
    var absence: Duration { .seconds(17) }

    func kill(_ worker: StreamWorker) { self.simulation.kill(worker) }
    func startAnother() { self.simulation.startWorker() }

    func groupMoved(from offset: Int64, in partition: Int32) {
        self.simulation.model.groupMoved(from: offset, in: partition)
        let skipped = Set(self.cluster.skipped.compactMap { self.origin(of: $0) })
        self.honest.judge.forgetRecords { skipped.contains($0) }
    }

    // MARK: - Brokers

    func setTroubles() {
        self.setBrokerTroubles()
        let produceFate = self.cluster.produceFate
        self.cluster.produceFate = { [unowned self] record in
            if self.isDown(.refusal) {
                let error = KafkaError(code: .topicNotAuthorized, message: "not authorized")
                return .failed(error, after: .milliseconds(5), isWritten: false)
            }
            guard self.isDown(.deafness) else { return produceFate(record) }
            let rest = Duration.nanoseconds(self.downUntil - self.timeline.clock.now.monotonic)
            guard rest > StreamAdversaryPlan.messageTimeout else { return .acknowledged(after: rest) }
            let isWritten = self.chance(0.5)
            return .failed(.timedOut, after: StreamAdversaryPlan.messageTimeout, isWritten: isWritten)
        }
        self.simulation.memoryFate = { [unowned self] in
            SimulatedMemory.Fate(
                delay: self.milliseconds(1...50),
                error: self.isDown(.silence) || self.isDown(.blindness) ? .timedOut : nil
            )
        }
        self.simulation.topics.markerDelay = { [unowned self] in
            self.milliseconds(1...Int(self.plan.markerDelay.wholeMilliseconds))
        }
        self.simulation.died = { [unowned self] in self.somebodyDied() }
    }

    private func isDown(_ outage: StreamAdversaryPlan.Outage) -> Bool {
        self.plan.outage == outage && !self.isCalm && self.timeline.clock.now.monotonic < self.downUntil
    }

    func planOutage() {
        self.fault { [unowned self] in
            self.downUntil = self.timeline.clock.now.after(self.plan.outageLength)
            // A worker that tries again and again also waits for its next try after the outage.
            self.excuse(self.plan.outageLength + .seconds(12) + self.takeover)
            guard self.plan.outage == .blindness, let worker = self.workers.first else { return }
            self.kill(worker)
            self.startAnother()
        }
    }

    /// Starts the process again after a while. A death excuses late records as often as deadly records can
    /// kill.
    private func somebodyDied() {
        let pause = self.milliseconds(100...3_000)
        if self.deathsToExcuse > 0 { self.excuse(pause + self.takeover) }
        self.deathsToExcuse -= 1
        self.timeline.after(pause) { [unowned self] in self.startAnother() }
    }

    // MARK: - Publishers

    func planPublishers() {
        // The kinds are taken in the order of their declaration, because the order of a set differs from run
        // to run.
        for kind in AdversaryKind.allCases where self.plan.kinds.contains(kind) { self.planPublisher(kind) }
    }

    private func planPublisher(_ kind: AdversaryKind) {
        switch kind {
        case .malformed:
            self.flood(self.count(of: [20, 60, 150])) { [unowned self] in self.publish("undecodable", $0) }
        case .sizes:
            let large = String(repeating: "v", count: AdversaryPlan.messageLimit - 600)
            self.flood(self.count(of: [3, 10, 30])) { [unowned self] in
                self.publish([nil, "", large].randomElement(using: &self.random) ?? nil, $0)
            }
        case .longKeys:
            self.flood(self.count(of: [1, 3])) { [unowned self] _ in
                let length = AdversaryPlan.messageLimit - Int.random(in: 150...500, using: &self.random)
                self.publish("plain", String(repeating: "k", count: length))
            }
        case .farTimes:
            self.flood(self.count(of: [3, 10])) { [unowned self] in
                let day: Int64 = 86_400_000
                let now = self.timeline.clock.now.wall
                let times = [0, -1, .max, .min, now + day, now + 36_500 * day, now - day]
                self.publish("far", $0, at: times.randomElement(using: &self.random))
            }
        case .invented:
            var number = 0
            let count = Int(self.plan.length / .seconds(1)) * self.plan.inventedPerSecond
            self.flood(count, isSteady: true) { [unowned self] in
                number += 1
                self.publish("stranger \(number)", $0)
            }
        case .deadly:
            self.deathsToExcuse = 3 * self.plan.deadlyRecords
            self.flood(self.plan.deadlyRecords) { [unowned self] in self.publish("deadly", $0) }
        default: break
        }
    }

    private func publish(_ value: String?, _ key: String?, at timestamp: Int64? = nil) {
        let partition = Int32.random(in: 0..<Int32(self.cluster.partitions), using: &self.random)
        self.cluster.append(value, key: key, to: partition, timestamp: timestamp)
    }
}
