import Synchronization

/// How the reading of the statistics stands: what the reader notes, and every page tells.
package final class ReadingStanding: Sendable {
    package enum Phase: Hashable, Sendable {
        /// No partition of the topic has been found yet.
        case looking
        /// What was published before it began is being read, and it is at most so many records.
        case catchingUp(atMost: Int64)
        /// Whatever is published is seen at once.
        case live
    }

    package struct Snapshot: Hashable, Sendable {
        package var phase = Phase.looking
        package var records: Int64 = 0
        /// Of the records: those that are no statistics.
        package var unreadable: Int64 = 0
        /// When the cluster was last heard of; nil if it never was. Milliseconds since 1970.
        package var heardAt: Int64?
        /// What keeps the reader from reading now.
        package var trouble: String?
    }

    private let snapshot = Mutex(Snapshot())

    package init() {}

    package var now: Snapshot { self.snapshot.withLock { $0 } }

    func read(_ records: Int64, unreadable: Int64, at time: Int64) {
        self.snapshot.withLock {
            $0.records += records
            $0.unreadable += unreadable
            $0.heardAt = time
            $0.trouble = nil
        }
    }

    func became(_ phase: Phase) { self.snapshot.withLock { $0.phase = phase } }

    /// - Returns: whether it was in trouble before.
    func heard(at time: Int64) -> Bool {
        self.snapshot.withLock { snapshot in
            defer { snapshot.trouble = nil }
            snapshot.heardAt = time
            return snapshot.trouble != nil
        }
    }

    /// - Returns: whether it was in no trouble before.
    func failed(because reason: String) -> Bool {
        self.snapshot.withLock { snapshot in
            defer { snapshot.trouble = reason }
            return snapshot.trouble == nil
        }
    }
}
