/// How many arrivals had which lag, exact to 2 % however many there are, and mergeable by addition: the one that
/// `push-arrival.stats` tells, and that its percentiles are read from.
///
/// Buckets grow by the factor 1.04 (the idea of DDSketch: Masson, Rim and Lee, VLDB 2019), and their limits are whole
/// milliseconds, so that every machine puts a lag into the same one.
package struct LagSketch: Hashable, Sendable {
    /// By bucket, as far as there is anything.
    private var counts: [Int64] = []

    package init() {}

    /// - Parameter buckets: as `buckets` gave them. What cannot be one is left out.
    package init(_ buckets: some Sequence<(index: Int, count: Int64)>) {
        for (index, count) in buckets where (0..<Self.limits.count).contains(index) && count > 0 {
            self.add(count, at: index)
        }
    }

    private static let growth = 1.04

    /// How far, at most, what is told of a lag is off it, as a part of it.
    package static let accuracy = (Self.growth - 1) / (Self.growth + 1)

    /// The greatest lag of each bucket, in milliseconds; the last has no limit. Up to 40 days.
    private static let limits: [Int64] = {
        var limits: [Int64] = [1]
        var limit = 1.0
        while limits[limits.count - 1] < 40 * 86_400_000 {
            limit *= Self.growth
            limits.append(Int64(limit))
        }
        return limits
    }()

    package static var lastIndex: Int { self.limits.count - 1 }

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

    package static func += (left: inout LagSketch, right: LagSketch) {
        for (index, count) in right.counts.enumerated() where count > 0 { left.add(count, at: index) }
    }

    /// What is not empty, in the order of the lags.
    package var buckets: [(index: Int, count: Int64)] {
        self.counts.enumerated().compactMap { $0.element > 0 ? (index: $0.offset, count: $0.element) : nil }
    }

    package var total: Int64 { self.counts.reduce(0, +) }

    /// The lag that this share of the arrivals did not exceed, in milliseconds; nil if there is none.
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

    /// How many arrivals had at most this lag, in milliseconds: those of a bucket are all where its middle is.
    package func count(within lag: Int64) -> Int64 {
        self.buckets.prefix { Self.middle(of: $0.index) <= lag }.reduce(0) { $0 + $1.count }
    }

    /// What stands for a bucket: nowhere in it further off than `accuracy`.
    private static func middle(of index: Int) -> Int64 {
        guard index > 0, index < self.limits.count else {
            return index == 0 ? 1 : self.limits[self.limits.count - 1]
        }
        let upper = Double(self.limits[index])
        return max(self.limits[index - 1] + 1, Int64((2 * upper / (1 + self.growth)).rounded()))
    }

    /// The greatest lag of a bucket, in milliseconds.
    package static func limit(of index: Int) -> Int64 {
        self.limits[min(max(0, index), self.limits.count - 1)]
    }
}
