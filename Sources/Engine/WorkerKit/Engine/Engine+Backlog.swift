import Kafka
import ServiceKit

// The numbers by which a fleet is scaled and its lag is watched.
extension Engine {
    /// Shows the bounds of each partition's log, the lag of the group, and what is left to do.
    func reportBacklog() {
        var sum: Int64 = 0
        for assignment in self.assignments {
            guard let bounds = assignment.source.logBounds else { continue }
            let backlog = assignment.backlog(in: bounds)
            sum += backlog
            self.metrics.partitions.show(
                bounds,
                committed: assignment.committed.offset,
                backlog: backlog,
                of: assignment.partition
            )
        }
        self.metrics.set("worker_backlog_records", sum)
    }
}
