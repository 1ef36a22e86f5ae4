import Kafka

// What the gauges say, once a second: sums over what is in hand are too dear for every turn.
extension Engine {
    func report() {
        guard self.now.monotonic >= self.nextReport else { return }
        self.nextReport = self.now.monotonic + 1_000_000_000
        self.metrics.set("worker_records_inflight", self.callsInFlight)
        self.metrics.set("worker_records_waiting", self.ready.count)
        self.metrics.set("worker_records_backoff", self.backingOff.count)
        self.metrics.set("worker_records_parked", self.held.values.reduce(0) { $0 + $1.count })
        self.metrics.set("worker_records_settling", self.settlingCount)
        self.metrics.set("worker_records_in_hand", self.table.count)
        self.metrics.set("worker_bytes_in_hand", self.table.bytes)
        self.metrics.set("worker_partitions_assigned", self.assignments.count)
        self.metrics.set("worker_partition_assignment_epoch", self.epoch)
        self.metrics.set("worker_lanes_held", self.lanes.heldNames.count)
        self.metrics.set("worker_ready", self.isWorking ? 1 : 0)
        self.reportPartitions()
    }

    private func reportPartitions() {
        let oldest = self.oldestReceipts()
        for (index, assignment) in self.assignments.enumerated() {
            let labels = [
                ("topic", assignment.partition.topic), ("partition", String(assignment.partition.partition)),
            ]
            let age = oldest[index].map { max(0, self.now.wall - $0) / 1_000 } ?? 0
            self.metrics.set("worker_oldest_unfinished_age_seconds", age, labels)
            self.metrics.set("worker_partition_incomplete_offsets", assignment.inHand, labels)
            self.metrics.set("worker_partition_overflow_records", assignment.overflow.count, labels)
            if let offset = assignment.committed.offset {
                self.metrics.set("worker_partition_committed_offset", offset, labels)
            }
            guard let progress = assignment.progress else { continue }
            self.metrics.set("worker_partition_contiguous_offset", progress.position, labels)
            self.metrics.set("worker_partition_next_offset", progress.next, labels)
        }
        if let success = self.commit.lastSuccess {
            let age = (self.now.monotonic - success) / 1_000_000_000
            self.metrics.set("worker_last_commit_age_seconds", age)
        }
    }

    private func oldestReceipts() -> [Int64?] {
        var oldest = [Int64?](repeating: nil, count: self.assignments.count)
        for id in self.table.ids {
            let index = self.table[id].assignment
            oldest[index] = min(oldest[index] ?? .max, self.table[id].receivedAt)
        }
        return oldest
    }
}
