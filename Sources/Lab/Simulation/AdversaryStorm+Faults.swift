import ServiceKit
import WorkerKit

// The faults of an engine of calls.
extension AdversaryStorm: Adversary {
    var kinds: Set<AdversaryKind> { self.plan.kinds }
    var rebalance: Duration { self.plan.rebalance }
    var takeover: Duration { self.plan.takeover }
    var absence: Duration { self.plan.delivery == .exactlyOnce ? .seconds(17) : .seconds(1) }

    func kill(_ worker: SimulatedWorker) { self.simulation.kill(worker) }
    func startAnother() { self.simulation.startWorker(self.deaths?.recorder()) }

    /// The records from the new position on are done again, and take the workers' time: 50 ms for each of them.
    func groupMoved(from offset: Int64, in partition: Int32) {
        self.deaths?.forget(in: partition)
        let again = self.cluster.end(of: partition) - (self.cluster.committedOffset(partition) ?? 0)
        self.excuse(self.takeover + .milliseconds(50 * max(0, again)))
    }

    /// Plans an outage of the main endpoint. The workers notice its end only by a probe, and no record can be
    /// settled until then.
    func planOutage() {
        let longest = AdversaryPlan.longestOutage
        let length = Duration.seconds(Int.random(in: 1...longest, using: &self.random))
        self.fault { [unowned self] in
            self.isDown = true
            self.excuse(length + self.plan.breakerPause + .seconds(2))
            self.simulation.after(length) { [unowned self] in self.isDown = false }
        }
    }
}
