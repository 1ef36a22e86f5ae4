/// A consumer group that was moved back: what the workers read again, and what counted as finished before.
struct GroupMove {
    /// One partition of the group.
    struct Part {
        /// The records that are read again: from the new position to the end at the time of the move.
        var records: Range<Int64>
        /// The committed offset before the move: everything before it counted as finished.
        var position: Int64
        /// The offsets beyond it that the commit's metadata named as finished.
        var finished: Set<Int64> = []

        /// Whether the group had said that this record was finished.
        func countsAsFinished(_ offset: Int64) -> Bool {
            offset < self.position || self.finished.contains(offset)
        }
    }

    /// The wall-clock time of the move in milliseconds since 1970. No worker was running then.
    var at: Int64
    var parts: [Int32: Part]

    /// The number of records that are read again.
    var count: Int { self.parts.values.reduce(0) { $0 + $1.records.count } }
}
