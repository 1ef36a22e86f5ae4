import WorkerKit

/// Counts the calls of one worker against its share of the rate, apart from its engine and more generously: what the
/// upstream's throttling takes off the rate is not looked at.
struct RateJudge {
    private let settings: RateLimit.Settings
    private var share = 0.0
    /// Calls that may be made now; below nothing after those that nobody could put off.
    private var credit = 1.0
    /// Up to when the credit is counted; nil before the first assignment.
    private var countedTo: Int64?

    init(_ settings: RateLimit.Settings) { self.settings = settings }

    /// The worker has so large a part of all partitions from now on.
    mutating func shareChanged(to share: Double, at now: Int64) {
        self.count(to: now)
        self.share = share
        self.credit = min(self.credit, self.mostCredit)
    }

    /// A call begins.
    ///
    /// - Returns: whether there was enough left for it.
    mutating func callBegan(at now: Int64) -> Bool {
        self.count(to: now)
        defer { self.credit -= 1 }
        // Seconds are not as exact as what the engine counts in.
        return self.credit > 1 - 1e-6
    }

    private mutating func count(to now: Int64) {
        let seconds = Double(now - (self.countedTo ?? now)) / 1e9
        self.credit = min(self.credit + seconds * self.settings.rate * self.share, self.mostCredit)
        self.countedTo = now
    }

    private var mostCredit: Double { max(1, (self.settings.burst ?? self.settings.rate) * self.share) }
}
