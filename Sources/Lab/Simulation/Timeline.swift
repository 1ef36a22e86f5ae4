import ServiceKit

/// A process on the clock of a simulation.
package protocol SimulatedProcess: AnyObject {
    /// The process's client of the cluster.
    var broker: SimulatedBroker { get }
    /// The time at which the process's thread wakes up if nothing arrives, in monotonic nanoseconds.
    var wakesAt: Int64 { get set }
    /// The time at which the process has something to do, in monotonic nanoseconds.
    var nextDue: Int64 { get }
    /// Whether the process has ended by itself.
    var hasEnded: Bool { get }
    /// The time until which the process is stopped, as by SIGSTOP.
    var stoppedUntil: Int64 { get set }

    /// Asks the process to end.
    func stop()

    /// Adds a violation if the process stands still and reports that it is ready. The simulation should call
    /// this about once a second.
    func judgeSilence()

    /// Sets the clock of the machine that the process runs on. The brokers' clocks stay right.
    func stepWall(by step: Duration)

    /// Gives the process one turn.
    ///
    /// - Throws: an error if the process takes turn after turn without getting anywhere.
    func turn() throws
}

extension SimulatedProcess {
    /// Stops the process for a time, as SIGSTOP does.
    package func freeze(for length: Duration) {
        self.stoppedUntil = self.broker.cluster.clock.now.after(length)
        self.broker.freeze(until: self.stoppedUntil)
    }

    /// Returns whether the process gets a turn now, because it has something to do or because all processes
    /// get one.
    func isDue(at now: Int64, isNudge: Bool) -> Bool {
        !self.hasEnded && (self.nextDue <= now || isNudge && self.stoppedUntil <= now)
    }
}

/// The simulated clock and the events that are scheduled on it. The clock jumps from each event to the next.
final class Timeline {
    let clock = SimulatedClock()
    let narrator: Narrator?
    private var plans = DueQueue<() -> Void>()
    private var nudges = DueQueue<Void>()

    init(_ narrator: Narrator?) { self.narrator = narrator }

    var seconds: Double { Double(self.clock.now.monotonic - 1_000_000_000) / 1e9 }

    /// Schedules an event after some simulated time.
    func after(_ delay: Duration, _ event: @escaping () -> Void) {
        self.plans.add(event, due: self.clock.now.after(delay))
    }

    /// Drops everything that is still scheduled. The events hold the storm that has scheduled them, so a storm
    /// that is over would otherwise stay in memory.
    func end() {
        self.plans = DueQueue()
        self.nudges = DueQueue()
    }

    /// Gives every process a turn after some time, although none asked for it. A process that sleeps for the
    /// right reason finds nothing to do in such a turn.
    func nudge(after delay: Duration) { self.nudges.add((), due: self.clock.now.after(delay)) }

    /// Lets time pass until a condition holds.
    ///
    /// - Parameters:
    ///   - processes: returns the processes that exist at that moment.
    ///   - died: called with each process that has died in its turn.
    /// - Returns: whether the condition came to hold in the time given.
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
                // The event may have made a descriptor readable, so every process gets a turn.
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
