package import WorkerKit

/// Time that passes only when somebody says so.
package final class SimulatedClock {
    package private(set) var now = Moment(monotonic: 1_000_000_000, wall: 1_750_000_000_000)
    /// Waits that were told in wall-clock time are of another length for the other clock.
    private(set) var hasBeenStepped = false
    /// The brokers' clocks too: how old a record is, nobody can tell any more.
    private(set) var hasTimeBeenStepped = false
    private var wallOffset: Int64 = 1_750_000_000_000 - 1_000

    package func advance(to monotonic: Int64) {
        precondition(monotonic >= self.now.monotonic, "time does not go back")
        self.now = Moment(monotonic: monotonic, wall: monotonic / 1_000_000 + self.wallOffset)
    }

    /// Somebody sets the wall clocks, of workers and brokers alike.
    package func stepWall(by step: Duration) {
        self.wallOffset += step.wholeMilliseconds
        self.now.wall += step.wholeMilliseconds
        self.hasBeenStepped = true
        self.hasTimeBeenStepped = true
    }

    /// The wall clock of a worker was set, and the brokers' were not.
    func workerWasStepped() { self.hasBeenStepped = true }
}
