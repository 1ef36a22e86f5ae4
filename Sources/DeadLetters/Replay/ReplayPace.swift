/// How fast a replay may go.
struct ReplayPace {
    private let rate: Double?
    private var next = ContinuousClock.now

    /// What is slower is taken for this slow: an hour for a record.
    private static let slowest = 1.0 / 3_600

    /// - Parameter rate: records a second. What is no rate at all, such as 0, is the slowest: nobody who wrote that meant
    ///   as fast as can be.
    init(rate: Double?) { self.rate = rate.map { $0 > Self.slowest ? $0 : Self.slowest } }

    /// At a slow rate a transaction is not to be longer than a second.
    func chunkSize(atMost limit: Int) -> Int {
        guard let rate, rate < Double(limit) else { return limit }
        return max(1, Int(rate))
    }

    func isDue() -> Bool { ContinuousClock.now >= self.next }

    /// At most this long until somebody looks again.
    var wait: Duration { max(.zero, min(.milliseconds(200), self.next - .now)) }

    mutating func sent(_ count: Int) {
        guard let rate else { return }
        self.next = max(self.next, .now) + .seconds(Double(count) / rate)
    }
}
