import WorkerKit

/// A process on the clock of a simulation.
package protocol SimulatedProcess: AnyObject {
    var broker: SimulatedBroker { get }
    /// When its thread wakes up if nothing arrives.
    var wakesAt: Int64 { get set }
    /// When it has something to do.
    var nextDue: Int64 { get }
    var hasEnded: Bool { get }
    /// The process is stopped, as by SIGSTOP, until then.
    var stoppedUntil: Int64 { get set }

    /// Sets the clock of the machine that the process runs on. The brokers' clocks stay right.
    func stepWall(by step: Duration)

    func turn() throws
}

extension SimulatedProcess {
    /// Stops the process for so long, as SIGSTOP does.
    package func freeze(for length: Duration) {
        self.stoppedUntil = self.broker.cluster.clock.now.after(length)
        self.broker.freeze(until: self.stoppedUntil)
    }

    /// Whether it gets a turn now, because it asked for one or for no reason.
    func isDue(at now: Int64, isNudge: Bool) -> Bool {
        !self.hasEnded && (self.nextDue <= now || isNudge && self.stoppedUntil <= now)
    }
}

/// Has things happen one after the other, and the clock stand wherever the next one is.
final class Timeline {
    let clock = SimulatedClock()
    let narrator: Narrator?
    private var plans = DueQueue<() -> Void>()
    private var nudges = DueQueue<Void>()

    init(_ narrator: Narrator?) { self.narrator = narrator }

    var seconds: Double { Double(self.clock.now.monotonic - 1_000_000_000) / 1e9 }

    /// Has something happen when so much time has passed.
    func after(_ delay: Duration, _ event: @escaping () -> Void) {
        self.plans.add(event, due: self.clock.now.after(delay))
    }

    /// Gives every process a turn when so much time has passed, for no reason: who sleeps as long as there is nothing
    /// to do, finds nothing to do.
    func nudge(after delay: Duration) { self.nudges.add((), due: self.clock.now.after(delay)) }

    /// Lets time pass until something holds.
    ///
    /// - Parameters:
    ///   - processes: those that there are now.
    ///   - died: told of one that has died in its turn.
    /// - Returns: whether it came to hold, in the time given.
    func run<Process: SimulatedProcess>(
        for longest: Duration,
        in cluster: SimulatedCluster,
        _ processes: () -> [Process],
        died: (Process) -> Void,
        until isDone: () -> Bool
    ) throws -> Bool {
        let end = self.clock.now.after(longest)
        while !isDone() {
            let dues =
                processes().filter { !$0.hasEnded }.map(\.nextDue)
                + [self.plans, cluster.network].map { $0.nextDue ?? .max } + [self.nudges.nextDue ?? .max]
            let next = max(self.clock.now.monotonic, dues.min() ?? .max)
            guard next <= end else {
                self.clock.advance(to: end)
                return isDone()
            }
            self.clock.advance(to: next)
            self.narrator?.timeIs(next)
            while let event = self.plans.popDue(at: next) {
                event()
                // Whatever happened, a descriptor may have become readable.
                for process in processes() { process.wakesAt = .min }
            }
            while let effect = cluster.network.popDue(at: next) { effect() }
            let isNudge = self.nudges.popDue(at: next) != nil
            for process in processes() where process.isDue(at: next, isNudge: isNudge) {
                try process.turn()
                if process.broker.isDead { died(process) }
            }
        }
        return true
    }
}
