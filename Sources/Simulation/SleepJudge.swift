import WorkerKit

/// Tells a process that sleeps too long, or not at all.
struct SleepJudge {
    /// Turns in a row that asked for another one at once, at one instant.
    private var restlessTurns = 0
    private var lastTurn: Int64 = .min

    /// A turn is over, and the next one is asked for after so long.
    ///
    /// - Throws: `Restless`, if nothing else has happened for far too many of them.
    mutating func turned(at now: Moment, asking sleep: Duration) throws {
        self.restlessTurns = sleep == .zero && now.monotonic == self.lastTurn ? self.restlessTurns + 1 : 0
        self.lastTurn = now.monotonic
        if self.restlessTurns > 2_000 { throw Restless() }
    }

    /// Somebody who has something to do in the middle of a sleep should have got up for it.
    ///
    /// - Returns: by how many nanoseconds it would have come too late.
    func overslept(until wake: Int64, at now: Moment) -> Int64? {
        // Times of day are no finer than a millisecond.
        let early = wake.addingReportingOverflow(-now.monotonic)
        return !early.overflow && early.partialValue > 1_000_000 ? early.partialValue : nil
    }

    /// The engine keeps turning and gets nowhere.
    struct Restless: Error, CustomStringConvertible {
        var description: String { "a worker takes turn after turn at one instant, and gets nowhere" }
    }
}
