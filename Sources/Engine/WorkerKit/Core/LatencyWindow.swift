/// The calls of a short time, and what they tell about an upstream. `ConcurrencyLimit` uses it.
struct LatencyWindow: Sendable {
    /// A latency counts as at most this many times the usual one: a few calls that hang must not outweigh all
    /// the others.
    private static let outlier = 10.0
    /// The number of calls that a window needs. A mean of fewer calls depends too much on chance.
    private static let calls = 50
    /// The least length of any window, in nanoseconds.
    private static let least: Int64 = 100_000_000

    private(set) var answers = 0
    private(set) var overloads = 0
    /// The largest number of calls that were in flight at once.
    private(set) var peak = 0
    private var latencies = 0.0
    private var start: Int64?
    /// The least length of this window, in nanoseconds: at least the mean latency of the window before,
    /// because a change that it brought must show in the calls of this one.
    private let shortest: Int64

    init() { self.shortest = Self.least }

    init(after earlier: LatencyWindow, at now: Int64) {
        self.start = now
        self.shortest = max(Self.least, Int64(earlier.latency ?? 0))
    }

    /// The number of calls that ended, answered or overloaded.
    var ended: Int { self.answers + self.overloads }

    /// The mean latency of the answered calls, in nanoseconds; nil if there were none.
    var latency: Double? { self.answers > 0 ? self.latencies / Double(self.answers) : nil }

    /// Returns how many of the calls that were answered in this window were in flight on average, by Little's
    /// law.
    func meanInFlight(at now: Int64) -> Double {
        guard let start, now > start else { return 0 }
        return self.latencies / Double(now - start)
    }

    /// Returns whether the window has lasted long enough and has seen enough calls. Where the limit is small,
    /// fewer calls are enough, because few of them end in that time.
    func isOver(limit: Int, at now: Int64) -> Bool {
        let enough = max(10, min(Self.calls, limit.multipliedReportingOverflow(by: 5).partialValue))
        guard let start, self.ended >= enough else { return false }
        return now.subtractingReportingOverflow(start).partialValue >= self.shortest
    }

    mutating func note(inFlight: Int) { self.peak = max(self.peak, inFlight) }

    /// Counts an answered call.
    ///
    /// - Parameters:
    ///   - latency: Nanoseconds since the call began.
    ///   - usual: The latency of the last calls, with or without a queue, in nanoseconds, if it is known.
    mutating func noteAnswer(in latency: Int64, usual: Double?, at now: Int64) {
        self.start = self.start ?? now
        self.answers += 1
        let most = usual.map { $0 * Self.outlier } ?? .infinity
        self.latencies += min(Double(max(1, latency)), most)
    }

    mutating func noteOverload(at now: Int64) {
        self.start = self.start ?? now
        self.overloads += 1
    }
}
