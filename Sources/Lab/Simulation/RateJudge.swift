import WorkerKit

/// Counts the calls of one worker against its share of the rate, independently of its engine.
///
/// The count is more generous than the engine: it ignores that the engine lowers the rate when the upstream
/// throttles.
struct RateJudge {
    private let settings: RateLimit.Settings
    private var share = 0.0
    /// The number of calls that may begin now. It is negative after calls that could not be delayed.
    private var credit = 1.0
    /// The time up to which the credit has been added, in monotonic nanoseconds; nil before the first
    /// assignment.
    private var countedTo: Int64?

    init(_ settings: RateLimit.Settings) { self.settings = settings }

    /// Sets the worker's share of all partitions, from 0 to 1.
    mutating func shareChanged(to share: Double, at now: Int64) {
        self.count(to: now)
        self.share = share
        self.credit = min(self.credit, self.mostCredit)
    }

    /// Counts a call that begins.
    ///
    /// - Returns: whether the credit was enough for it.
    mutating func callBegan(at now: Int64) -> Bool {
        self.count(to: now)
        defer { self.credit -= 1 }
        // Seconds in floating point are less exact than the engine's own units.
        return self.credit > 1 - 1e-6
    }

    private mutating func count(to now: Int64) {
        let seconds = Double(now - (self.countedTo ?? now)) / 1e9
        self.credit = min(self.credit + seconds * self.settings.rate * self.share, self.mostCredit)
        self.countedTo = now
    }

    private var mostCredit: Double { max(1, (self.settings.burst ?? self.settings.rate) * self.share) }
}
