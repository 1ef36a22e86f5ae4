/// The numbers of arrivals by lag: one count for each edge, and one for all longer lags.
package struct LagHistogram: Hashable, Sendable {
    /// The upper edge of each bucket, in milliseconds, ascending. A lag equal to an edge belongs to that
    /// bucket.
    package let edges: [Int64]
    /// The number of arrivals in each bucket. The last bucket has no upper edge.
    package private(set) var counts: [Int64]

    /// Creates an empty histogram.
    ///
    /// - Parameter edges: the upper edges in milliseconds, ascending.
    package init(edges: [Int64]) {
        self.edges = edges
        self.counts = [Int64](repeating: 0, count: edges.count + 1)
    }

    /// Creates a histogram from stored values; nil unless there is exactly one more count than edges.
    package init?(edges: [Int64], counts: [Int64]) {
        guard counts.count == edges.count + 1 else { return nil }
        self.edges = edges
        self.counts = counts
    }

    /// Counts one arrival with this lag, in milliseconds.
    package mutating func add(lag: Int64) {
        self.counts[self.edges.firstIndex { lag <= $0 } ?? self.edges.count] &+= 1
    }

    /// Adds the counts of another histogram.
    ///
    /// - Returns: false, and nothing is added, if the other histogram has other edges.
    package mutating func add(_ other: LagHistogram) -> Bool {
        guard other.edges == self.edges else { return false }
        for (index, count) in other.counts.enumerated() { self.counts[index] &+= count }
        return true
    }

    /// The usual edges: 1 minute, 5 minutes, 1 hour, 6 hours, 24 hours.
    package static let usualEdges: [Int64] = [60, 300, 3_600, 21_600, 86_400].map { $0 * 1_000 }
}
