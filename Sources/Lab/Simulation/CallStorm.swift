import Records

/// The common part of random runs of call engines.
protocol CallStorm: Weather where Process == SimulatedWorker {
    var simulation: Simulation { get }
    /// A description of each broken promise.
    var complaints: [String] { get set }
}

extension CallStorm {
    var timeline: Timeline { self.simulation.timeline }
    var cluster: SimulatedCluster { self.simulation.cluster }
    var workers: [SimulatedWorker] { self.simulation.workers }

    /// Lets time pass, and stops when a promise is broken.
    func step(for duration: Duration) throws {
        try self.simulation.run(for: duration) { self.simulation.isBroken }
    }

    /// The records without an outcome, for a complaint.
    var unsettled: [String] {
        self.cluster.inputs.filter { self.cluster.outcome($0.offset, in: $0.partition) == nil }
            .map {
                "\($0.partition)/\($0.offset) \(String(decoding: $0.value ?? [], as: UTF8.self).prefix(40))"
            }
    }

    func stopEverybody() throws {
        for worker in self.workers { worker.stop() }
        let haveEnded = try self.simulation.run(for: .seconds(30)) {
            self.simulation.isBroken || self.workers.allSatisfy(\.hasEnded)
        }
        if !haveEnded { self.complaints.append("somebody does not stop") }
    }
}
