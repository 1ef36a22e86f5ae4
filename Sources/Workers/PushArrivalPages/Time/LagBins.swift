import WireFormats

/// Arrivals in bins of equal length since their sending, such as minutes.
///
/// They are read from the sketch of lags, so they need no counts of their own. A bucket of the sketch is 4 %
/// wide: the arrivals of a bucket that reaches over several bins are spread evenly over it. Minutes are exact up
/// to the 25th, and hours up to the 25th; later ones are a little smoothed.
struct LagBins: Hashable, Sendable {
    /// The arrivals in each bin.
    let counts: [Int64]
    /// The arrivals after the last bin.
    let later: Int64

    /// - Parameters:
    ///   - length: the length of a bin, in milliseconds.
    ///   - number: the number of bins.
    init(_ sketch: LagSketch, length: Int64, number: Int) {
        let buckets = sketch.buckets
        var sums: [Int64] = []
        var (next, below) = (0, 0.0)
        for bin in 0...number {
            let edge = Double(bin) * Double(length)
            while next < buckets.count, Double(LagSketch.limit(of: buckets[next].index)) <= edge {
                below += Double(buckets[next].count)
                next += 1
            }
            var sum = below
            if next < buckets.count {
                let index = buckets[next].index
                let start = index == 0 ? 0 : Double(LagSketch.limit(of: index - 1))
                let width = Double(LagSketch.limit(of: index)) - start
                if edge > start { sum += Double(buckets[next].count) * (edge - start) / width }
            }
            // Sums are rounded and not the bins, so that the bins add up to all arrivals.
            sums.append(Int64(sum.rounded()))
        }
        self.counts = zip(sums, sums.dropFirst()).map { $1 - $0 }
        self.later = max(0, Int64(Double(sketch.total).rounded()) - (sums.last ?? 0))
    }
}
