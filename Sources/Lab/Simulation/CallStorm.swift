import Records

/// The common part of random runs of call engines.
protocol CallStorm: Weather where Process == SimulatedWorker {
    var simulation: Simulation { get }
}

extension CallStorm {
    var timeline: Timeline { self.simulation.timeline }
    var cluster: SimulatedCluster { self.simulation.cluster }
    var workers: [SimulatedWorker] { self.simulation.workers }

    var violations: [String] { self.simulation.violations }
    var isBroken: Bool { self.simulation.isBroken }

    func advance(_ longest: Duration, until isDone: () -> Bool) throws -> Bool {
        try self.simulation.run(for: longest, until: isDone)
    }

    /// The records without an outcome, for a complaint.
    var unsettled: [String] {
        self.cluster.inputs.filter { self.cluster.outcome($0.offset, in: $0.partition) == nil }
            .map {
                "\($0.partition)/\($0.offset) \(String(decoding: $0.value ?? [], as: UTF8.self).prefix(40))"
            }
    }
}
