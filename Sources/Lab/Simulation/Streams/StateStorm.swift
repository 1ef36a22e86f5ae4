import Records
import StreamKit

/// A storm of engines whose work is a state.
protocol StateStorm: Weather where Process == StreamWorker {
    var simulation: StreamSimulation { get }
}

extension StateStorm {
    var timeline: Timeline { self.simulation.timeline }
    var cluster: SimulatedCluster { self.simulation.cluster }
    var workers: [StreamWorker] { self.simulation.workers }

    func advance(_ longest: Duration, until isDone: () -> Bool) throws -> Bool {
        try self.simulation.run(for: longest, until: isDone)
    }

    /// The records without an outcome, and the workers that are not ready, for a complaint.
    var unsettled: [String] {
        self.cluster.inputs.filter { self.cluster.outcome($0.offset, in: $0.partition) == nil }.map(\.place)
            + self.workers.compactMap { worker in worker.engine.unreadiness.map { "\(worker.name): \($0)" } }
    }
}
