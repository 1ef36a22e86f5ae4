import WorkerKit

// The faults of an engine of calls.
extension AdversaryStorm: Adversary {
    var kinds: Set<AdversaryKind> { self.plan.kinds }
    var rebalance: Duration { self.plan.rebalance }
    var takeover: Duration { self.plan.takeover }
    var absence: Duration { self.plan.delivery == .exactlyOnce ? .seconds(17) : .seconds(1) }

    func kill(_ worker: SimulatedWorker) { self.simulation.kill(worker) }
    func startAnother() { self.simulation.startWorker() }
    func groupMoved(from offset: Int64, in partition: Int32) {}

    /// Plans an outage of the main endpoint. The workers notice its end only by a probe, and no record can be
    /// settled until then.
    func planOutage() {
        let length = Duration.seconds(Int.random(in: 1...40, using: &self.random))
        self.fault { [unowned self] in
            self.isDown = true
            self.excuse(length + self.plan.breakerPause + .seconds(2))
            self.simulation.after(length) { [unowned self] in self.isDown = false }
        }
    }
}
