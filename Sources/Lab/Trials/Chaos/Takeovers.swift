import Harness

/// The times for which partitions are not processed after the worker that owned them is killed.
///
/// Each outcome states when the process that settled the record received it. A record that was received after
/// the kill was received by another process, so the first such outcome of a partition ends that partition's
/// waiting time.
struct Takeovers {
    /// A kill whose partitions are not all processed again yet.
    private struct Kill {
        /// The time of the kill in wall-clock milliseconds since 1970.
        var at: Int64
        var partitions: Set<Int32>
        /// The name of the worker.
        var what: String
    }

    private var waiting: [Kill] = []
    private var ended: [(what: String, after: Duration)] = []
    private(set) var kills = 0
    /// The waiting times in milliseconds, one for each partition of each killed worker.
    private(set) var waits: [Int64] = []

    /// Registers a kill.
    ///
    /// - Parameters:
    ///   - time: the time of the kill, in wall-clock milliseconds since 1970.
    ///   - partitions: the partitions that the worker owned.
    mutating func killed(at time: Int64, with partitions: Set<Int32>, _ what: String) {
        self.kills += 1
        if !partitions.isEmpty { self.waiting.append(Kill(at: time, partitions: partitions, what: what)) }
    }

    /// Registers an outcome of a record that was received at this time, in wall-clock milliseconds since
    /// 1970.
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

    /// Returns the kills whose partitions are all processed again, with the time that it took. Each is
    /// returned once.
    mutating func takeEnded() -> [(what: String, after: Duration)] {
        defer { self.ended = [] }
        return self.ended
    }

    /// Sentences about the partitions that no worker was seen to process again.
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
