import ServiceKit

/// A storm on one clock and one cluster, with its workers and its complaints about broken promises.
protocol PlayedStorm: AnyObject {
    associatedtype Process: SimulatedProcess

    var timeline: Timeline { get }
    var cluster: SimulatedCluster { get }
    /// The workers that were started and not killed.
    var workers: [Process] { get }
    /// A description of each broken promise that the storm itself has found.
    var complaints: [String] { get set }
    /// A description of each broken promise that the judges of its cluster and upstreams have found.
    var violations: [String] { get }
    /// Whether a judge has found a broken promise.
    var isBroken: Bool { get }

    /// Lets time pass until a condition holds.
    ///
    /// - Returns: whether the condition came to hold in the time given.
    func advance(_ longest: Duration, until isDone: () -> Bool) throws -> Bool
}

extension PlayedStorm {
    var violations: [String] { self.cluster.violations }
    var isBroken: Bool { !self.cluster.violations.isEmpty }

    /// Plays a storm to its end, or until a promise is broken.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    func judged(_ play: () throws -> Void) -> [String] {
        defer { self.timeline.end() }
        do {
            try play()
        } catch {
            self.complaints.append("\(error)")
        }
        return self.complaints + self.violations.prefix(5)
    }

    /// Lets time pass until a condition holds or a promise is broken.
    ///
    /// - Returns: whether one of the two happened in the time given.
    @discardableResult
    func pass(_ longest: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        try self.advance(longest) { self.isBroken || isDone() }
    }

    /// Stops all workers, and complains if one of them does not end.
    func stopEverybody(within longest: Duration) throws {
        for worker in self.workers { worker.stop() }
        let haveEnded = try self.pass(longest) { self.workers.allSatisfy(\.hasEnded) }
        if !haveEnded { self.complaints.append("somebody does not stop") }
    }
}
