import Synchronization

/// The memory that the states of all threads take together, and the memory that they may take.
package final class MemoryBudget: Sendable {
    private let limit: Int
    private let held = Atomic(0)

    /// - Parameter limit: The bytes that the states may take.
    package init(limit: Int) { self.limit = limit }

    /// Notes that a thread has counted the bytes of its states again.
    package func change(from old: Int, to new: Int) { self.held.add(new - old, ordering: .relaxed) }

    /// Whether more than half of the memory is taken, so that what can be spared should be.
    package var isCrowded: Bool { self.held.load(ordering: .relaxed) > self.limit / 2 }

    /// Whether the states take more memory than they may.
    package var isExceeded: Bool { self.held.load(ordering: .relaxed) > self.limit }
}
