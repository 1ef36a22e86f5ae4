/// What a call takes where none waits for another: for `ConcurrencyLimit`.
struct BaseLatency: Sendable {
    /// One window is at the mercy of chance.
    private static let windows = 2
    /// A measurement that is not in this range of what was believed is no accident, and counts in full; else it
    /// counts as much as all before it.
    static let surely = 0.75...1 / 0.75
    /// Calls that take less than this part of it, whatever the load, refute it.
    private static let refuting = 0.6

    private(set) var nanoseconds: Double
    /// It may have a queue in it.
    private(set) var isGuess = true
    private var sum = 0.0
    private var count = 0

    init(_ nanoseconds: Double) { self.nanoseconds = nanoseconds }

    /// What is measured from now on counts, and nothing before it.
    mutating func begin() { (self.sum, self.count) = (0, 0) }

    /// A window is over during which no call can have waited for another.
    ///
    /// - Returns: what was measured, as a part of what was believed; nil if that needs more windows.
    mutating func measured(_ latency: Double) -> Double? {
        self.sum += latency
        self.count += 1
        guard self.count >= Self.windows else { return nil }
        let found = self.sum / Double(self.count)
        let change = found / self.nanoseconds
        self.nanoseconds = Self.surely.contains(change) ? (self.nanoseconds + found) / 2 : found
        self.isGuess = false
        self.begin()
        return change
    }

    /// Whether two windows were so fast that this cannot be true any more.
    func isRefuted(by latency: Double, _ before: Double) -> Bool {
        max(latency, before) < Self.refuting * self.nanoseconds
    }

    mutating func guess(_ nanoseconds: Double) { self = BaseLatency(nanoseconds) }
}
