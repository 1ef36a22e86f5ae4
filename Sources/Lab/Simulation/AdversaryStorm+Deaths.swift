import ServiceKit

// Records that kill the process which interprets the answer for them.
extension AdversaryStorm {
    /// The number of processes that one record may kill.
    private static var deathsAllowed: Int { 2 }

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
