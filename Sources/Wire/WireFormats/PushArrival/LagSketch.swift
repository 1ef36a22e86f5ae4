/// A histogram of lags that is exact to 2 % however many arrivals it counts, and that is merged by addition.
/// `push-arrival.stats` publishes it, and the percentiles are read from it.
///
/// Its buckets grow by the factor 1.04 (the idea of DDSketch: Masson, Rim and Lee, VLDB 2019). Their limits
/// are whole milliseconds, so that every machine puts a lag into the same bucket.
package struct LagSketch: Hashable, Sendable {
    /// The number of arrivals in each bucket, up to the last bucket that has any.
    private var counts: [Int64] = []

    package init() {}

    /// Restores a sketch.
    ///
    /// - Parameter buckets: the value of `buckets`. An entry with an index out of range or a count below 1 is
    ///   left out.
    package init(_ buckets: some Sequence<(index: Int, count: Int64)>) {
        for (index, count) in buckets where (0..<Self.limits.count).contains(index) && count > 0 {
            self.add(count, at: index)
        }
    }

    private static let growth = 1.04

    /// The largest relative error of a lag that the sketch returns.
    package static let accuracy = (Self.growth - 1) / (Self.growth + 1)

    /// The largest lag of each bucket, in milliseconds. The last bucket also takes all larger lags; its limit
    /// is just above 40 days.
    private static let limits: [Int64] = {
        var limits: [Int64] = [1]
        var limit = 1.0
        while limits[limits.count - 1] < 40 * 86_400_000 {
            limit *= Self.growth
            limits.append(Int64(limit))
        }
        return limits
    }()

    /// The highest index of a bucket.
    package static var lastIndex: Int { self.limits.count - 1 }

    /// Counts one arrival with this lag, in milliseconds; a lag below 1 counts as 1.
    package mutating func add(lag: Int64) {
        let limits = Self.limits
        var low = 0
        var high = limits.count - 1
        while low < high {
            let middle = (low + high) / 2
            if limits[middle] < lag { low = middle + 1 } else { high = middle }
        }
        self.add(1, at: low)
    }

    private mutating func add(_ count: Int64, at index: Int) {
        if index >= self.counts.count {
            self.counts.append(contentsOf: repeatElement(0, count: index + 1 - self.counts.count))
        }
        self.counts[index] &+= count
    }

    /// Adds the counts of another sketch.
    package static func += (left: inout LagSketch, right: LagSketch) {
        for (index, count) in right.counts.enumerated() where count > 0 { left.add(count, at: index) }
    }

    /// The buckets that are not empty, in the order of their lags.
    package var buckets: [(index: Int, count: Int64)] {
        self.counts.enumerated().compactMap { $0.element > 0 ? (index: $0.offset, count: $0.element) : nil }
    }

    /// The number of arrivals.
    package var total: Int64 { self.counts.reduce(0, +) }

    /// Returns the lag, in milliseconds, that this share (0 to 1) of the arrivals did not exceed; nil if
    /// there are no arrivals.
    package func lag(ofShare share: Double) -> Int64? {
        let total = self.total
        guard total > 0 else { return nil }
        let rank = Int64((Double(total) * share).rounded(.up))
        var passed: Int64 = 0
        for (index, count) in self.counts.enumerated() {
            passed += count
            if passed >= max(1, rank) { return Self.middle(of: index) }
        }
        return nil
    }

    /// Returns how many arrivals had at most this lag, in milliseconds. All arrivals of a bucket count as if
    /// they had the lag in its middle.
    package func count(within lag: Int64) -> Int64 {
        self.buckets.prefix { Self.middle(of: $0.index) <= lag }.reduce(0) { $0 + $1.count }
    }

    /// Returns the lag that stands for a bucket, in milliseconds. No lag in the bucket differs from it by
    /// more than `accuracy`.
    private static func middle(of index: Int) -> Int64 {
        guard index > 0, index < self.limits.count else {
            return index == 0 ? 1 : self.limits[self.limits.count - 1]
        }
        let upper = Double(self.limits[index])
        return max(self.limits[index - 1] + 1, Int64((2 * upper / (1 + self.growth)).rounded()))
    }

    /// Returns the largest lag of a bucket, in milliseconds.
    package static func limit(of index: Int) -> Int64 {
        self.limits[min(max(0, index), self.limits.count - 1)]
    }
}
