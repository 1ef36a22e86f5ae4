import ServiceKit

/// Records that are settled although a process died while it handled them, until the group has committed that.
///
/// They stay in the crash ledger until then: if this process dies before the commit, the next owner reads them again, and
/// would hand them to the handler once more.
struct SettledSuspects: Sendable {
    private var settled: [CrashLedger.Place] = []
    /// The records that the commit in flight says are settled.
    private var sent: [CrashLedger.Place] = []

    mutating func settled(_ place: CrashLedger.Place) { self.settled.append(place) }

    /// Notes that a commit begins. It carries everything that was settled before.
    mutating func commitBegan() {
        self.sent += self.settled
        self.settled = []
    }

    /// Returns the records that the group has committed.
    mutating func committed() -> [CrashLedger.Place] {
        defer { self.sent = [] }
        return self.sent
    }

    /// Notes that the commit failed. The next one carries the same.
    mutating func commitFailed() {
        self.settled += self.sent
        self.sent = []
    }

    /// Forgets all records, because their partitions were given up.
    mutating func removeAll() { self = SettledSuspects() }
}
