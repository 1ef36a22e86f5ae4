/// The upper bounds of a histogram, ascending. The last bucket, `+Inf`, is always there and never listed.
package struct HistogramBuckets: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// As many as a series holds inline beside its `+Inf` bucket.
    package static let most = 31

    package let bounds: [Double]

    /// Sorts, and drops what is not finite or comes twice. More than `most` bounds is a mistake of ours.
    package init(_ bounds: [Double]) {
        let bounds = Set(bounds.filter(\.isFinite)).sorted()
        precondition(bounds.count <= Self.most, "a histogram has at most \(Self.most) bounds")
        self.bounds = bounds
    }

    package init(arrayLiteral bounds: Double...) {
        self.init(bounds)
    }

    /// For timers, in seconds: from a call inside the data centre to an upstream at its deadline.
    package static let seconds: HistogramBuckets = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    /// For recorded sizes and counts.
    package static let counts: HistogramBuckets = [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000,
    ]
}
