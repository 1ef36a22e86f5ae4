/// Records that are settled although a process died while it handled them, until the group has committed that.
///
/// They stay in the crash ledger until then: if this process dies before the commit, the next owner reads them again, and
/// would hand them to the handler once more.
struct SettledSuspects: Sendable {
    /// The place of a record in Kafka.
    struct Place: Hashable, Sendable {
        var topic: String
        var partition: Int32
        var offset: Int64
    }

    private var settled: [Place] = []
    /// The records that the commit in flight says are settled.
    private var sent: [Place] = []

    mutating func settled(_ place: Place) { self.settled.append(place) }

    /// Notes that a commit begins. It carries everything that was settled before.
    mutating func commitBegan() {
        self.sent += self.settled
        self.settled = []
    }

    /// Returns the records that the group has committed.
    mutating func committed() -> [Place] {
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
