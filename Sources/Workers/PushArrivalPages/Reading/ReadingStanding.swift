import Synchronization

/// The state of the reading of the statistics. The reader writes it, and every page shows it. It is safe to
/// use from any thread.
package final class ReadingStanding: Sendable {
    /// The phases of the reading.
    package enum Phase: Hashable, Sendable {
        /// No partition of the topic has been found yet.
        case looking
        /// The reader is reading the records that were published before it started, at most this many.
        case catchingUp(atMost: Int64)
        /// The reader has reached the end of every partition and sees new records at once.
        case live
    }

    /// The state at one moment.
    package struct Snapshot: Hashable, Sendable {
        /// The phase of the reading.
        package var phase = Phase.looking
        /// The number of records that were read since the start.
        package var records: Int64 = 0
        /// The number of these records that are not statistics. They were skipped.
        package var unreadable: Int64 = 0
        /// The time of the cluster's last answer or record, in milliseconds since 1970; nil before the first.
        package var heardAt: Int64?
        /// The reason why nothing can be read now; nil if there is none.
        package var trouble: String?
    }

    private let snapshot = Mutex(Snapshot())

    /// Creates the state of a reading that has not started.
    package init() {}

    /// The present state.
    package var now: Snapshot { self.snapshot.withLock { $0 } }

    /// Adds records that have arrived. They end any trouble.
    func read(_ records: Int64, unreadable: Int64, at time: Int64) {
        self.snapshot.withLock {
            $0.records += records
            $0.unreadable += unreadable
            $0.heardAt = time
            $0.trouble = nil
        }
    }

    func became(_ phase: Phase) { self.snapshot.withLock { $0.phase = phase } }

    /// Records an answer of the cluster, which ends any trouble.
    ///
    /// - Returns: whether the reader was in trouble before.
    func heard(at time: Int64) -> Bool {
        self.snapshot.withLock { snapshot in
            defer { snapshot.trouble = nil }
            snapshot.heardAt = time
            return snapshot.trouble != nil
        }
    }

    /// Records why the cluster cannot be read now.
    ///
    /// - Returns: whether the reader was in no trouble before.
    func failed(because reason: String) -> Bool {
        self.snapshot.withLock { snapshot in
            defer { snapshot.trouble = reason }
            return snapshot.trouble == nil
        }
    }
}
