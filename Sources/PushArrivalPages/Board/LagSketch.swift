import Glibc

/// How long arrivals took, in buckets that grow by 4 %: bucket `index` holds lags in (1.04^(index-1), 1.04^index]
/// milliseconds, and bucket 0 everything up to 1 ms.
package struct LagSketch: Hashable, Sendable {
    package struct Bucket: Hashable, Sendable {
        package var index: Int
        package var count: Int64
    }

    /// A point of the curve: so many took no longer than this.
    package struct Point: Hashable, Sendable {
        /// Milliseconds.
        package var lag: Double
        package var count: Int64
    }

    /// The end of the last bucket that is believed is beyond any allowed lateness: a year and a half.
    package static let lastIndex = 630
    private static let growth = 1.04

    /// Rising, and none of them empty.
    package private(set) var buckets: [Bucket] = []
    package private(set) var total: Int64 = 0

    package init() {}

    /// What is not to be believed is left out: indexes that no lag can have, and counts that are not above 0.
    package init(indexes: some Sequence<Int32>, counts: some Sequence<Int64>) {
        var found: [Int: Int64] = [:]
        for (index, count) in zip(indexes, counts) where 0...Self.lastIndex ~= Int(index) && count > 0 {
            let (sum, overflows) = self.total.addingReportingOverflow(count)
            guard !overflows else { break }
            self.total = sum
            found[Int(index), default: 0] += count
        }
        self.buckets = found.map { Bucket(index: $0.key, count: $0.value) }.sorted { $0.index < $1.index }
    }

    /// The upper end of a bucket, in milliseconds.
    package static func end(of index: Int) -> Double { pow(Self.growth, Double(index)) }

    /// Where the curve rises: at both ends of every bucket that holds something.
    package var points: [Point] {
        var points: [Point] = []
        var sum: Int64 = 0
        for bucket in self.buckets {
            if points.last?.lag != Self.end(of: bucket.index - 1) {
                points.append(Point(lag: Self.end(of: bucket.index - 1), count: sum))
            }
            sum += bucket.count
            points.append(Point(lag: Self.end(of: bucket.index), count: sum))
        }
        return points
    }

    /// How many took no longer than this: to 4 %, because a bucket counts where most of it lies.
    package func count(within lag: Double) -> Int64 {
        self.buckets.prefix { Self.end(of: $0.index) <= lag * Self.growth.squareRoot() }.reduce(0) {
            $0 + $1.count
        }
    }
}
