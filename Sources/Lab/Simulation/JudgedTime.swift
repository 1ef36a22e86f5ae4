import ServiceKit

/// Lets the time of a simulation pass. Once a second the judges of honest records and of silence look.
final class JudgedTime {
    private let simulation: Simulation
    private let honest: HonestPublisher
    /// The time at which the judges look next, in monotonic nanoseconds.
    private var nextLook: Int64 = .min

    init(of simulation: Simulation, _ honest: HonestPublisher) {
        self.simulation = simulation
        self.honest = honest
    }

    /// Lets time pass until a condition holds or a promise is broken.
    ///
    /// - Parameter isDone: asked after every step of the simulation.
    /// - Returns: whether the condition holds.
    @discardableResult
    func pass(_ length: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        guard !self.simulation.isBroken else { return false }
        try self.simulation.run(for: length) {
            self.look()
            return isDone() || self.simulation.isBroken
        }
        return isDone()
    }

    private func look() {
        let now = self.simulation.clock.now
        guard now.monotonic >= self.nextLook else { return }
        self.nextLook = now.after(.seconds(1))
        self.honest.look()
        for worker in self.simulation.workers { worker.judgeSilence() }
    }
}
