import WorkerKit

/// Tells a process that sleeps too long, or not at all.
struct SleepJudge {
    /// Turns in a row at one instant, asked for or brought about by something that nobody takes notice of.
    private var restlessTurns = 0
    private var lastTurn: Int64 = .min

    /// A turn is over, and another one will come.
    ///
    /// - Throws: `Restless`, if nothing else has happened for far too many of them.
    mutating func turned(at now: Moment) throws {
        self.restlessTurns = now.monotonic == self.lastTurn ? self.restlessTurns + 1 : 0
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
