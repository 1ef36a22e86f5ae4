/// The search for a record of a partition that kills the process only when the task puts its state out
/// (`StreamTask.collect`).
///
/// A task does that once for all records of a transaction, so the death of the process does not tell which of them it
/// was. The first of them is charged with it. A process that meets a record with a death takes up no other record of the
/// partition in that transaction, and twice as many in each one that follows. So an innocent record is committed alone,
/// and forgiven. The next record that is charged is at most half as far from the deadly one, and in the end it is that
/// one.
struct DeadlyRecordSearch {
    /// The offset of the first record that was processed since the commit; nil if there is none.
    private(set) var first: Int64?
    /// The number of records that were processed since the commit.
    private var records = 0
    /// The number of records that one transaction may take up.
    private var limit = Int.max

    /// The limit from which on there is none.
    private static let endlessLimit = 1 << 20

    /// Whether this transaction may take up no more records of the partition.
    var isHeld: Bool { self.records >= self.limit }

    /// Notes that a record was processed.
    ///
    /// - Parameter isSuspect: Whether it has killed a process before, as far as is known.
    mutating func processed(_ offset: Int64, isSuspect: Bool) {
        self.first = self.first ?? offset
        self.records += 1
        if isSuspect { self.limit = 1 }
    }

    /// Notes that all records that were processed are committed.
    mutating func committed() {
        guard self.records > 0 else { return }
        self.first = nil
        self.records = 0
        self.limit = self.limit < Self.endlessLimit ? self.limit * 2 : .max
    }
}
