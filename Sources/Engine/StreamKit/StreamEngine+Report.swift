import Kafka
import ServiceKit

// The gauges of the partitions. They are set once a second.
extension StreamEngine {
    /// Shows how far each partition is, and what is left to do. Gauges of partitions that were given up go.
    func report() {
        self.metrics.partitions.forgetAll(except: Set(self.assignments.map(\.partition)))
        var sum: Int64 = 0
        for assignment in self.assignments { sum += self.report(assignment) }
        self.metrics.left(sum)
    }

    /// - Returns: The number of records of the partition that are not settled.
    private func report(_ assignment: Assignment<B.Source>) -> Int64 {
        let (gauges, partition) = (self.metrics.partitions, assignment.partition)
        if let offset = assignment.committed.offset {
            gauges.set("worker_partition_committed_offset", offset, of: partition)
        }
        if let offset = assignment.standing {
            gauges.set("worker_partition_next_offset", offset, of: partition)
        }
        let age = self.age(of: assignment)
        if let age { gauges.set("worker_oldest_unfinished_age_seconds", age, of: partition) }
        guard let bounds = assignment.source.logBounds else { return 0 }
        // Records are settled in their order, by the commit of their transaction.
        let backlog = max(0, bounds.end - (assignment.committed.offset ?? bounds.start ?? 0))
        gauges.show(bounds, committed: assignment.committed.offset, backlog: backlog, of: partition)
        return backlog
    }

    /// Returns the age of the oldest unfinished record in seconds, by the timestamp of the record before it;
    /// nil if that is not known.
    private func age(of assignment: Assignment<B.Source>) -> Int64? {
        if assignment.isAtEnd { return 0 }
        guard let birth = assignment.lastTimestamp ?? assignment.landmark?.timestamp else { return nil }
        return max(0, self.now.wall.subtractingClamped(birth)) / 1_000
    }
}
