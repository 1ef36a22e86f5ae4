/// The latency of a call while no call waits for another at the upstream. `ConcurrencyLimit` measures it and
/// uses it.
struct BaseLatency: Sendable {
    /// The number of calls that a measurement needs. A mean of fewer calls depends too much on chance.
    private static let calls = 100
    /// The range in which a measurement counts as noise, as a share of the latency that is known.
    ///
    /// A measurement within the range is averaged with the known latency, half and half. A measurement
    /// outside it replaces the known latency.
    static let surely = 0.75...1 / 0.75

    /// The latency that is known, in nanoseconds.
    private(set) var nanoseconds: Double
    /// Whether the known latency may include time in a queue, because it was never measured without one.
    private(set) var isGuess = true
    /// The sum of the latencies, in nanoseconds, and the number of the calls that are being measured.
    private var sum = 0.0
    private var count = 0

    init(_ nanoseconds: Double) { self.nanoseconds = nanoseconds }

    /// Starts a new measurement. Calls before it do not count.
    mutating func begin() { (self.sum, self.count) = (0, 0) }

    /// Adds a window during which no call can have waited for another.
    ///
    /// - Parameters:
    ///   - latency: The mean latency of the window, in nanoseconds.
    ///   - calls: The number of calls in the window.
    /// - Returns: The measured latency as a share of the one that was known; nil while the measurement needs
    ///   more calls.
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
