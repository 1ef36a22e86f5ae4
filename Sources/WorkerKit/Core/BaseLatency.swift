/// What a call takes where none waits for another: for `ConcurrencyLimit`.
struct BaseLatency: Sendable {
    /// So few calls are at the mercy of chance.
    private static let calls = 100
    /// A measurement that is not in this range of what was believed is no accident, and counts in full; else it
    /// counts as much as all before it.
    static let surely = 0.75...1 / 0.75

    private(set) var nanoseconds: Double
    /// It may have a queue in it.
    private(set) var isGuess = true
    /// Over the calls that are being measured.
    private var sum = 0.0
    private var count = 0

    init(_ nanoseconds: Double) { self.nanoseconds = nanoseconds }

    /// What is measured from now on counts, and nothing before it.
    mutating func begin() { (self.sum, self.count) = (0, 0) }

    /// A window is over during which no call can have waited for another.
    ///
    /// - Returns: what was measured, as a part of what was believed; nil if that needs more calls.
    mutating func measured(_ latency: Double, of calls: Int) -> Double? {
        self.sum += latency * Double(calls)
        self.count += calls
        guard self.count >= Self.calls else { return nil }
        let found = self.sum / Double(self.count)
        let change = found / self.nanoseconds
        self.nanoseconds = Self.surely.contains(change) ? (self.nanoseconds + found) / 2 : found
        self.isGuess = false
        self.begin()
        return change
    }
}
