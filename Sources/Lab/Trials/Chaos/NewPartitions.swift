import Harness

/// The partitions that a topic gets during a run, and how long their first records wait for an outcome.
struct NewPartitions {
    /// The number of partitions before the topic grew.
    private let old: Int
    /// The longest time from the first record in a new partition to the first outcome of one.
    private let bound: Duration
    /// For each new partition, the wall-clock milliseconds of its first record, and of the first outcome.
    private var sent: [Int32: Int64] = [:]
    private var settled: [Int32: Int64] = [:]

    init(after old: Int, lateAfter bound: Duration = ChaosOptions.usualBound) {
        self.old = old
        self.bound = bound
    }

    mutating func sent(to partition: Int32, at time: Int64) { self.note(time, for: partition, in: \.sent) }

    mutating func settled(in partition: Int32, at time: Int64) {
        self.note(time, for: partition, in: \.settled)
    }

    private mutating func note(
        _ time: Int64,
        for partition: Int32,
        in times: WritableKeyPath<Self, [Int32: Int64]>
    ) {
        guard partition >= self.old else { return }
        self[keyPath: times][partition] = min(time, self[keyPath: times][partition] ?? time)
    }

    /// The times until the first outcome, of the partitions that have one.
    var waits: [Duration] {
        self.sent.compactMap { partition, sent in
            self.settled[partition].map { .milliseconds($0 - sent) }
        }.sorted()
    }

    /// The number of new partitions with records.
    var count: Int { self.sent.count }

    /// Sentences about the partitions whose first outcome came too late or never.
    var lateOnes: [String] {
        self.sent.keys.sorted().compactMap { partition in
            guard let sent = self.sent[partition], let settled = self.settled[partition] else {
                return "the new partition \(partition) has no outcome"
            }
            let wait = Duration.milliseconds(settled - sent)
            guard wait > self.bound else { return nil }
            return "the new partition \(partition) had its first outcome after \(wait.shown)"
        }
    }
}
