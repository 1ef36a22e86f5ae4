import Kafka
import Records
import ServiceKit

// The faults of a run of stream engines.
extension StreamStorm {
    func setTroubles() {
        self.setBrokerTroubles()
        self.simulation.memoryFate = { [unowned self] in self.memoryFate() }
        self.simulation.topics.markerDelay = { [unowned self] in
            self.milliseconds(1...Int(self.plan.markerDelay.wholeMilliseconds))
        }
    }

    private func memoryFate() -> SimulatedMemory.Fate {
        SimulatedMemory.Fate(
            delay: self.milliseconds(1...Int(self.plan.restorePause.wholeMilliseconds)),
            batch: .random(in: 1...self.plan.restoreBatch, using: &self.random),
            error: self.fails(self.isDown ? 1 : self.plan.memoryTrouble) ? .timedOut : nil
        )
    }

    // MARK: - Scheduled records and faults

    func planRecords() {
        for _ in 0..<self.plan.records {
            let item = "i\(Int.random(in: 0..<self.plan.variety, using: &self.random))"
            let group = "g\(Int.random(in: 0..<4, using: &self.random))"
            let partition = Int32.random(in: 0..<Int32(self.plan.setup.partitions), using: &self.random)
            let gap: Int64 = self.chance(0.1) ? .random(in: 1...20, using: &self.random) : 0
            self.schedule(within: 0.8) { [unowned self] in
                self.cluster.append(item, key: group, to: partition, skipping: gap)
            }
        }
    }

    func planFault() {
        switch Int.random(in: 0..<13, using: &self.random) {
        case 0: self.fault { [unowned self] in self.cluster.rebalance() }
        case 1: self.faultOfSomebody { [unowned self] in self.cluster.expel($0.broker) }
        case 2:
            self.faultOfSomebody { [unowned self] in
                self.simulation.kill($0)
                self.simulation.startWorker()
            }
        // The process dies in the middle of a turn, between two of its requests.
        case 3, 4:
            let requests = Int.random(in: 0...60, using: &self.random)
            self.faultOfSomebody { [unowned self] in
                $0.broker.die(after: requests)
                self.simulation.startWorker()
            }
        case 5:
            let step = Duration.seconds(Int.random(in: -600...600, using: &self.random))
            self.fault { [unowned self] in self.timeline.clock.stepWall(by: step) }
        case 6: self.fault { [unowned self] in self.simulation.startWorker() }
        case 7:
            self.faultOfSomebody { [unowned self] in
                $0.stop()
                self.simulation.startWorker()
            }
        case 8: self.planFreeze()
        case 9: self.planDeafness()
        case 10: self.planAbsence()
        case 11 where self.plan.hasOutages: self.planOutage()
        default: self.fault { [unowned self] in self.simulation.topics.compact() }
        }
    }

    /// Freezes a process. If that lasts longer than its session, the group replaces it. The process learns of
    /// that some time after it has woken up in the middle of its turn.
    private func planFreeze() {
        let length = Duration.seconds(Int.random(in: 1...40, using: &self.random))
        let later = self.milliseconds(1...3_000)
        self.faultOfSomebody { [unowned self] worker in
            worker.freeze(for: length)
            guard length > .seconds(10) else { return }
            self.timeline.after(.seconds(10)) { [unowned self] in
                self.simulation.depose(worker, for: length - .seconds(10) + later)
            }
        }
    }

    /// Lets the group replace a process, which hears nothing of it for a while and goes on working.
    private func planDeafness() {
        let length = self.milliseconds(1...8_000)
        self.faultOfSomebody { [unowned self] in self.simulation.depose($0, for: length) }
    }

    /// Freezes a process that has given up its partitions, before it gets others. The group replaces it.
    private func planAbsence() {
        let length = Duration.seconds(Int.random(in: 1...30, using: &self.random))
        let later = self.milliseconds(1...3_000)
        self.faultOfSomebody { [unowned self] worker in
            // Another worker answers the rebalance late, so no member gets partitions yet.
            self.workers.first { $0 !== worker }?.freeze(for: .seconds(1))
            self.cluster.rebalance()
            self.timeline.after(.milliseconds(500)) { [unowned self] in
                worker.freeze(for: length)
                self.simulation.depose(worker, for: length + later)
            }
        }
    }

    private func planOutage() {
        let length = Duration.seconds(Int.random(in: 1...30, using: &self.random))
        self.fault { [unowned self] in
            self.isDown = true
            self.timeline.after(length) { [unowned self] in self.isDown = false }
        }
    }
}
