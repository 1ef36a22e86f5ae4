/// The upper bounds of a histogram, in ascending order. The last bucket, `+Inf`, always exists and is never
/// listed.
package struct HistogramBuckets: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The largest number of bounds. A series stores so many counters in place, and one more for its `+Inf`
    /// bucket.
    package static let most = 31

    /// The bounds, ascending, without `+Inf`.
    package let bounds: [Double]

    /// Sorts the bounds, and drops those that are not finite or repeated. More than `most` bounds end the
    /// process, since only this package's own code chooses them.
    package init(_ bounds: [Double]) {
        let bounds = Set(bounds.filter(\.isFinite)).sorted()
        precondition(bounds.count <= Self.most, "a histogram has at most \(Self.most) bounds")
        self.bounds = bounds
    }

    /// Makes buckets of the bounds of a literal.
    package init(arrayLiteral bounds: Double...) {
        self.init(bounds)
    }

    /// The bounds of timers, in seconds: from a call inside the data centre to an upstream that answers only
    /// at the deadline.
    package static let seconds: HistogramBuckets = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    /// The bounds of recorded sizes and counts.
    package static let counts: HistogramBuckets = [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000,
    ]
}
