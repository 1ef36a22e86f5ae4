import Records
import ServiceKit
import WorkerKit

// Deaths at a moment that matters: of the process that interprets the answer for a record, and of one that has just parked
// records.
extension AdversaryStorm {
    /// The number of processes that one record may kill.
    private static var deathsAllowed: Int { 3 }

    /// Lets every ticket arrive up to 400 ms late. As soon as some are on their way, all workers die, three times at most.
    /// With exactly-once nothing is late: the tickets of a dead worker are in its open transaction.
    func setLateTickets() {
        let fate = self.cluster.produceFate
        var deaths = 0
        self.cluster.produceFate = { [unowned self] record in
            guard record.topic == SimulatedCluster.parkingTopic, !self.isCalm,
                self.plan.delivery == .atLeastOnce
            else { return fate(record) }
            if deaths < 3, self.chance(0.1) {
                deaths += 1
                self.faults += 1
                self.timeline.after(.milliseconds(1)) { [unowned self] in
                    self.excuse(self.takeover)
                    for worker in self.workers { self.kill(worker) }
                    self.startAnother()
                }
            }
            return .acknowledged(after: self.milliseconds(100...800))
        }
    }

    /// Lets the process die that has made this call, and starts another one. Nothing happens if no process waits for the
    /// answer any more.
    func die(of call: SimulatedUpstream.Call) {
        let worker = self.workers.first { worker in
            worker.upstream.awaited.contains { $0.name == call.name && $0.at == call.at }
        }
        guard let worker, let deaths = self.deaths else { return }
        self.faults += 1
        self.kill(worker)
        let count = deaths.died(of: call.name)
        guard count <= Self.deathsAllowed else {
            return self.cluster.violations.append("\(call.record) has killed \(count) processes")
        }
        self.excuse(self.takeover)
        self.startAnother()
    }
}
