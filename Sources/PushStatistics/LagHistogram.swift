/// How many arrivals had a lag up to each of a few edges, and one number more for the rest.
package struct LagHistogram: Hashable, Sendable {
    /// In milliseconds, ascending.
    package let edges: [Int64]
    package private(set) var counts: [Int64]

    package init(edges: [Int64]) {
        self.edges = edges
        self.counts = [Int64](repeating: 0, count: edges.count + 1)
    }

    /// As it was stored; nil if the two do not belong together.
    package init?(edges: [Int64], counts: [Int64]) {
        guard counts.count == edges.count + 1 else { return nil }
        self.edges = edges
        self.counts = counts
    }

    package mutating func add(lag: Int64) {
        self.counts[self.edges.firstIndex { lag <= $0 } ?? self.edges.count] &+= 1
    }

    /// - Returns: false, and nothing is added, if the other has other edges.
    package mutating func add(_ other: LagHistogram) -> Bool {
        guard other.edges == self.edges else { return false }
        for (index, count) in other.counts.enumerated() { self.counts[index] &+= count }
        return true
    }

    /// 1 minute, 5 minutes, 1 hour, 6 hours, 24 hours.
    package static let usualEdges: [Int64] = [60, 300, 3_600, 21_600, 86_400].map { $0 * 1_000 }
}
