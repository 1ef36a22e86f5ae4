import Synchronization

/// The memory that the states of all threads take together, and the memory that they may take.
package final class MemoryBudget: Sendable {
    /// The memory that some states take.
    package struct Part: Hashable, Sendable {
        package var bytes = 0
        /// The number of states that take any.
        package var holders = 0
        /// The number of states that are being read back, and not for too long.
        package var restoring = 0

        package init() {}

        /// Adds a state.
        package mutating func add(_ bytes: Int, isRestoring: Bool = false) {
            self.bytes += bytes
            if bytes > 0 { self.holders += 1 }
            if isRestoring { self.restoring += 1 }
        }
    }

    private let limit: Int
    private let held = Atomic(0)
    private let holders = Atomic(0)
    private let restoring = Atomic(0)

    /// - Parameter limit: The bytes that the states may take.
    package init(limit: Int) { self.limit = limit }

    /// Notes that a thread has counted the bytes of its states again.
    package func change(from old: Part, to new: Part) {
        self.held.add(new.bytes - old.bytes, ordering: .relaxed)
        self.holders.add(new.holders - old.holders, ordering: .relaxed)
        self.restoring.add(new.restoring - old.restoring, ordering: .relaxed)
    }

    /// Returns whether a state should begin nothing that can be spared. Above half of the memory, those that take
    /// an equal share or more should not; above three quarters, none should. So a flood that falls on one state
    /// takes nothing from the others.
    ///
    /// - Parameter bytes: The bytes that the state takes.
    package func isCrowded(_ bytes: Int) -> Bool {
        let held = self.held.load(ordering: .relaxed)
        guard held > self.limit / 2 else { return false }
        return held > self.limit / 4 * 3 || bytes >= held / max(1, self.holders.load(ordering: .relaxed))
    }

    /// Returns how many bytes a state should give up while the states take more memory than they may: its part of what
    /// all of them take above three quarters of it. While a state is read back it could give up nothing, and the others would
    /// pay for it, and for good. So they wait for it, up to a quarter above the limit.
    ///
    /// - Parameter bytes: The bytes that the state takes.
    package func excess(_ bytes: Int) -> Int {
        let held = self.held.load(ordering: .relaxed)
        let isWaiting = self.restoring.load(ordering: .relaxed) > 0 && held <= self.limit / 4 * 5
        guard held > self.limit, !isWaiting else { return 0 }
        return Int(Double(bytes) * Double(held - self.limit / 4 * 3) / Double(held))
    }

    /// Whether the states take more memory than they may.
    package var isExceeded: Bool { self.held.load(ordering: .relaxed) > self.limit }
}
