import Kafka

/// How far parked records have been read again.
struct Unparking: Sendable {
    /// The partition that is read now.
    struct Visit: Sendable {
        var index: Int
        var partition: TopicPartition
        /// The offset that is looked for.
        var wanted: Int64
        /// The offset after the last record that was read.
        var position: Int64
        /// After that, these and no others. Nil if whoever may come is visited.
        var probes: [Int64]?

        init(_ index: Int, _ partition: TopicPartition, _ wanted: Int64, probes: [Int64]? = nil) {
            self.index = index
            self.partition = partition
            self.wanted = wanted
            self.position = wanted
            self.probes = probes
        }
    }

    var visit: Visit?
    /// Why parked records cannot be read, since the last one that was.
    var trouble: Trouble?
    /// The partition to look at next.
    var nextIndex = 0
    /// No visit begins before this monotonic time.
    var nextVisit = Int64.min
    /// Whether the last visit began with the question whether probes are wanted.
    var isTurnOfProbes = false
    /// While somebody in hand could be a probe, no further probes are looked for before this monotonic time.
    var nextProbes = Int64.min
    /// When all tickets are looked at for records whose deadline has passed.
    var nextSearch = Int64.min
    /// Records in hand that came back, and their bytes.
    var records = 0
    var bytes = 0
    /// How many of them there are of each key.
    var keys: [KeyMark: Int] = [:]
    /// The largest record of the last ones that were read.
    var largest = 1
    /// Endpoints in doubt that a record in hand will be the next to ask.
    var askedSoon: Set<Int> = []
}
