package import ServiceKit

/// A clock that advances only when the simulation tells it to.
package final class SimulatedClock {
    /// The present time: monotonic nanoseconds, and wall-clock milliseconds since 1970.
    package private(set) var now = Moment(monotonic: 1_000_000_000, wall: 1_750_000_000_000)
    /// Whether any wall clock was set. Waits that are given in wall-clock time then have another length in
    /// monotonic time.
    private(set) var hasBeenStepped = false
    /// Whether the brokers' clocks were set too. The age of a record is then unknown.
    private(set) var hasTimeBeenStepped = false
    private var wallOffset: Int64 = 1_750_000_000_000 - 1_000

    /// Moves the clock to a time in monotonic nanoseconds, which must not be earlier than the present one.
    package func advance(to monotonic: Int64) {
        precondition(monotonic >= self.now.monotonic, "time does not go back")
        self.now = Moment(monotonic: monotonic, wall: monotonic / 1_000_000 + self.wallOffset)
    }

    /// Sets the wall clocks of all workers and brokers forward or back.
    package func stepWall(by step: Duration) {
        self.wallOffset += step.wholeMilliseconds
        self.now.wall += step.wholeMilliseconds
        self.hasBeenStepped = true
        self.hasTimeBeenStepped = true
    }

    /// Notes that the wall clock of a worker was set, and the brokers' clocks were not.
    func workerWasStepped() { self.hasBeenStepped = true }
}
