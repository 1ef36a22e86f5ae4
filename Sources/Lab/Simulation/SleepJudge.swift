import ServiceKit

/// Finds a process that sleeps too long, or not at all.
struct SleepJudge {
    /// The turns in a row at one instant in which nothing was done. The process asked for them, or an event
    /// caused them that the process ignored.
    private var restlessTurns = 0
    private var lastTurn: Int64 = .min
    private var lastProgress = 0

    /// Notes that a turn has ended after which another one will come.
    ///
    /// - Parameter progress: the number of records that the process has read or written so far. A worker that has room for
    ///   one record may read thousands of finished ones, one in each turn.
    /// - Throws: `Restless` after more than 2,000 turns without progress at one instant.
    mutating func turned(at now: Moment, progress: Int) throws {
        let isRestless = now.monotonic == self.lastTurn && progress == self.lastProgress
        self.restlessTurns = isRestless ? self.restlessTurns + 1 : 0
        self.lastTurn = now.monotonic
        self.lastProgress = progress
        if self.restlessTurns > 2_000 { throw Restless() }
    }

    /// Returns by how many nanoseconds a process would have been late, if it had work to do before the end of
    /// its sleep; nil if it would have been in time.
    func overslept(until wake: Int64, at now: Moment) -> Int64? {
        // Wall-clock times have a resolution of one millisecond, so a smaller difference is no fault.
        let early = wake.addingReportingOverflow(-now.monotonic)
        return !early.overflow && early.partialValue > 1_000_000 ? early.partialValue : nil
    }

    /// The engine takes turn after turn without any time passing.
    struct Restless: Error, CustomStringConvertible {
        var description: String { "a worker takes turn after turn at one instant, and gets nowhere" }
    }
}
