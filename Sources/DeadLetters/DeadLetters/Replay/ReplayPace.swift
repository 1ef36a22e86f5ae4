/// Keeps a replay to its rate.
struct ReplayPace {
    private let rate: Double?
    /// The time at which the next records may be sent.
    private var next = ContinuousClock.now

    /// The lowest rate, in records per second: one record per hour.
    private static let slowest = 1.0 / 3_600

    /// Creates the pace of a rate; nil sets no limit.
    ///
    /// - Parameter rate: records per second. A lower rate than `slowest`, zero, and a value that is not a
    ///   number count as `slowest`, because a user who wrote them did not mean an unlimited rate.
    init(rate: Double?) { self.rate = rate.map { $0 > Self.slowest ? $0 : Self.slowest } }

    /// Returns the number of records of one transaction: at a low rate not more than go out in a second, so
    /// that transactions stay short.
    func chunkSize(atMost limit: Int) -> Int {
        guard let rate, rate < Double(limit) else { return limit }
        return max(1, Int(rate))
    }

    /// Whether the next records may be sent now.
    func isDue() -> Bool { ContinuousClock.now >= self.next }

    /// The time until the caller should call `isDue()` again: at most 200 ms, so that a stop is noticed.
    var wait: Duration { max(.zero, min(.milliseconds(200), self.next - .now)) }

    /// Notes that so many records were sent now, which moves the time of the next ones.
    mutating func sent(_ count: Int) {
        guard let rate else { return }
        self.next = max(self.next, .now) + .seconds(Double(count) / rate)
    }
}
