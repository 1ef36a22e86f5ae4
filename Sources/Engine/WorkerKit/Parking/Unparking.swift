import Kafka

/// The progress of reading parked records again.
struct Unparking: Sendable {
    /// The reading of one partition of the input, to take parked records in hand again.
    struct Visit: Sendable {
        /// The index of the partition in the engine's assignments.
        var index: Int
        var partition: TopicPartition
        /// The offset of the record that is looked for.
        var wanted: Int64
        /// The offset after the last record that was read.
        var position: Int64
        /// The further offsets to look for, and no others; nil if the visit takes every record that may come.
        var probes: [Int64]?

        init(_ index: Int, _ partition: TopicPartition, wanted: Int64, probes: [Int64]? = nil) {
            self.index = index
            self.partition = partition
            self.wanted = wanted
            self.position = wanted
            self.probes = probes
        }
    }

    /// The current visit; nil between two visits.
    var visit: Visit?
    /// The reason why parked records cannot be read; nil since the last read that worked.
    var trouble: Trouble?
    /// The index of the assignment to look at first for the next visit.
    var nextIndex = 0
    /// The monotonic time before which no visit begins, in nanoseconds.
    var nextVisit = Int64.min
    /// Whether the last visit began with the question whether probes are wanted.
    var isTurnOfProbes = false
    /// The monotonic time before which no further probes are looked for, as long as a record in hand could be
    /// a probe.
    var nextProbes = Int64.min
    /// The monotonic time at which all tickets are searched for records whose deadline has passed.
    var nextSearch = Int64.min
    /// The indices of the endpoints in doubt that a record in hand will be the next to call.
    var askedSoon: Set<Int> = []
}
