/// What the calls of a short time say of an upstream: for `ConcurrencyLimit`.
struct LatencyWindow: Sendable {
    /// Calls this many times slower than usual are counted as if they were no slower: a few that hang must not speak
    /// for all the others.
    private static let outlier = 10.0
    /// Fewer calls are too much at the mercy of chance.
    private static let calls = 50
    private static let least: Int64 = 100_000_000

    private(set) var answers = 0
    private(set) var overloads = 0
    /// Most calls in flight at once.
    private(set) var peak = 0
    private var latencies = 0.0
    private var start: Int64?
    /// It lasts at least so long: what the window before has changed must show in the calls of this one.
    private let shortest: Int64

    init() { self.shortest = Self.least }

    init(after earlier: LatencyWindow, at now: Int64) {
        self.start = now
        self.shortest = max(Self.least, Int64(earlier.latency ?? 0))
    }

    /// Answered or overloaded.
    var ended: Int { self.answers + self.overloads }

    /// The mean of the answered calls, in nanoseconds; nil if there were none.
    var latency: Double? { self.answers > 0 ? self.latencies / Double(self.answers) : nil }

    /// By Little's law, how many of those that it has seen answered were in flight at a time.
    func meanInFlight(at now: Int64) -> Double {
        guard let start, now > start else { return 0 }
        return self.latencies / Double(now - start)
    }

    /// Whether it has lasted and seen enough. A small limit ends few calls in the time that it takes to tell.
    func isOver(limit: Int, at now: Int64) -> Bool {
        let enough = max(10, min(Self.calls, limit.multipliedReportingOverflow(by: 5).partialValue))
        guard let start, self.ended >= enough else { return false }
        return now.subtractingReportingOverflow(start).partialValue >= self.shortest
    }

    mutating func note(inFlight: Int) { self.peak = max(self.peak, inFlight) }

    /// - Parameter usual: The latency without a queue, if it is known.
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
