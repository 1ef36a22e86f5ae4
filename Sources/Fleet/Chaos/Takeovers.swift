/// How long partitions stand still when the worker that has them is killed.
///
/// An outcome says when the process that settled its record took the record up. What was taken up after the kill was
/// taken up by somebody else: the first outcome of a partition that says so ends its wait.
struct Takeovers {
    private struct Kill {
        /// Wall-clock milliseconds since 1970.
        var at: Int64
        var partitions: Set<Int32>
        var what: String
    }

    private var waiting: [Kill] = []
    private var ended: [(what: String, after: Duration)] = []
    private(set) var kills = 0
    /// Milliseconds, one for each partition of each victim.
    private(set) var waits: [Int64] = []

    /// - Parameters:
    ///   - time: of the kill, in wall-clock milliseconds since 1970.
    ///   - partitions: what the victim had.
    mutating func killed(at time: Int64, with partitions: Set<Int32>, _ what: String) {
        self.kills += 1
        if !partitions.isEmpty { self.waiting.append(Kill(at: time, partitions: partitions, what: what)) }
    }

    /// An outcome was read of a record that was taken up then.
    mutating func found(_ partition: Int32, receivedAt: Int64) {
        for index in self.waiting.indices.reversed()
        where self.waiting[index].at < receivedAt && self.waiting[index].partitions.contains(partition) {
            self.waits.append(receivedAt - self.waiting[index].at)
            self.waiting[index].partitions.remove(partition)
            guard self.waiting[index].partitions.isEmpty else { continue }
            let kill = self.waiting.remove(at: index)
            self.ended.append((kill.what, .milliseconds(receivedAt - kill.at)))
        }
    }

    /// Says once whose partitions are all worked again, and after how long.
    mutating func takeEnded() -> [(what: String, after: Duration)] {
        defer { self.ended = [] }
        return self.ended
    }

    /// Partitions that nobody was seen to work on again, as sentences.
    var unfinished: [String] {
        self.waiting.map { kill in
            let partitions = kill.partitions.sorted().map(String.init).joined(separator: ", ")
            return "after the end of \(kill.what) nobody was seen to work on partition \(partitions) again"
        }
    }

    var median: Int64? {
        guard !self.waits.isEmpty else { return nil }
        return self.waits.sorted()[self.waits.count / 2]
    }

    var longest: Int64? { self.waits.max() }
}
