import Synchronization

/// What the states of all threads take in memory together, and what they may.
package final class MemoryBudget: Sendable {
    private let limit: Int
    private let held = Atomic(0)

    /// - Parameter limit: in bytes.
    package init(limit: Int) { self.limit = limit }

    /// A thread has counted again what its states take.
    package func change(from old: Int, to new: Int) { self.held.add(new - old, ordering: .relaxed) }

    /// Whether more than half of it is taken: what can be spared should be.
    package var isCrowded: Bool { self.held.load(ordering: .relaxed) > self.limit / 2 }

    /// Whether it is more than it may be.
    package var isExceeded: Bool { self.held.load(ordering: .relaxed) > self.limit }
}
