import Kafka
import Records
import ServiceKit

// The gauges. They are set once a second, because sums over everything in hand take too long for every turn.
extension Engine {
    /// Sets all gauges, and looks at ends of logs and for a standstill, if a second has passed since the last report.
    func report() {
        guard self.now.monotonic >= self.nextReport else { return }
        self.nextReport = self.now.monotonic + 1_000_000_000
        self.lookAtEnds()
        self.metrics.set("worker_records_inflight", self.table.count(of: .calling))
        self.metrics.set("worker_records_waiting", self.table.count(of: .ready))
        self.metrics.set("worker_records_blocked", self.table.count(of: .blocked))
        self.metrics.set("worker_records_backoff", self.table.count(of: .backingOff))
        self.metrics.set("worker_records_parked", self.table.count(of: .held))
        self.metrics.set("worker_records_settling", self.table.settlingCount)
        self.metrics.set("worker_records_in_hand", self.table.count)
        self.metrics.set("worker_bytes_in_hand", self.bytesInHand)
        self.metrics.set("worker_partitions_assigned", self.assignments.count)
        self.metrics.set("worker_partition_assignment_epoch", self.membership.epoch)
        self.metrics.set("worker_lanes_held", self.dispatch.gates.lanes.heldNames.count)
        self.reportHeldLanes()
        self.metrics.set("worker_records_condemned", self.table.count(of: .condemned))
        self.reportParking()
        self.lot?.memory.dropReports()
        self.watchForStall()
        self.reportPace()
        self.reportUnread()
        self.reportPartitions()
        self.reportBacklog()
    }

    private func reportParking() {
        guard self.lot != nil else { return }
        self.metrics.set("worker_parking_tickets", self.parkedTickets)
        let oldest = self.assignments.compactMap { $0.parked.first?.timestamp }.min()
        let age = oldest.map { max(0, self.now.wall.subtractingClamped($0)) / 1_000 } ?? 0
        self.metrics.set("worker_parking_oldest_age_seconds", age)
    }

    /// Shows how many partitions are not read at the moment, by the cause. librdkafka's own pause is not
    /// used: if the engine reads nothing from a partition, librdkafka stops fetching it by itself.
    private func reportUnread() {
        let all = self.assignments.count
        let isFull = self.isFull
        let mayCall = self.dispatch.gates.endpoints.contains { $0.breaker.state == .closed }
        let isSaturated = self.dispatch.queues.ready.freshCount >= self.settings.concurrency * 2
        let isFullOfBlocked = isFull && self.table.count(of: .blocked) >= self.table.count / 2
        let behind = self.assignments.count { !$0.overflow.isEmpty }
        self.metrics.set("worker_partitions_paused", isFull ? all : 0, labels: [("cause", "memory")])
        self.metrics.set(
            "worker_partitions_paused",
            !mayCall && isSaturated || isFullOfBlocked ? all : 0,
            labels: [("cause", "upstream")]
        )
        self.metrics.set("worker_partitions_paused", behind, labels: [("cause", "window")])
        guard !self.settings.retryTiers.isEmpty else { return }
        let early = self.assignments.count { $0.waitsUntil != nil }
        self.metrics.set("worker_partitions_paused", early, labels: [("cause", "not_due")])
    }

    /// Shows how fast the upstream may be called now.
    private func reportPace() {
        let pace = self.dispatch.gates.pace
        self.metrics.set("worker_upstream_concurrency_limit", pace.callLimit(at: self.now.monotonic))
        if let limit = pace.shadowLimit(at: self.now.monotonic) {
            self.metrics.set("worker_upstream_concurrency_limit_shadow", limit)
        }
        if let rate = pace.rate { self.report(rate) }
        for endpoint in self.dispatch.gates.endpoints {
            if let rate = endpoint.rate { self.report(rate, [("endpoint", endpoint.identity.name)]) }
        }
    }

    private func report(_ rate: RateLimit, _ labels: [(String, String)] = []) {
        self.metrics.set("worker_upstream_rate_limit_factor_percent", Int(rate.factor * 100), labels: labels)
        self.metrics.set("worker_upstream_rate_limit_per_second", Int(rate.effectiveRate), labels: labels)
    }

    private func reportPartitions() {
        let oldest = self.oldestRecords()
        for (index, assignment) in self.assignments.enumerated() {
            func set(_ name: String, _ value: some BinaryInteger) {
                self.metrics.partitions.set(name, value, of: assignment.partition)
            }
            // A record that was read and cannot begin yet is unfinished too.
            let birth = oldest[index] ?? assignment.overflow.first?.timestamp
            set(
                "worker_oldest_unfinished_age_seconds",
                birth.map { max(0, self.now.wall.subtractingClamped($0)) / 1_000 } ?? 0
            )
            set("worker_partition_incomplete_offsets", assignment.inHand)
            set("worker_partition_overflow_records", assignment.overflow.count)
            set("worker_partition_commit_metadata_bytes", assignment.committed.metadata.utf8.count)
            if let at = assignment.committedAt {
                set("worker_partition_last_commit_age_seconds", (self.now.monotonic - at) / 1_000_000_000)
            }
            if let offset = assignment.committed.offset { set("worker_partition_committed_offset", offset) }
            if let offset = assignment.highestFinished {
                set("worker_partition_highest_completed_offset", offset)
            }
            guard let progress = assignment.progress else { continue }
            set("worker_partition_contiguous_offset", progress.position)
            set("worker_partition_next_offset", progress.next)
        }
    }

    /// Returns for each assignment when its oldest record in hand was published, in milliseconds since 1970;
    /// nil if none of its records is in hand.
    private func oldestRecords() -> [Int64?] {
        var oldest = [Int64?](repeating: nil, count: self.assignments.count)
        for id in self.table.ids {
            let entry = self.table[id]
            // The publisher chooses the timestamp, so it can be any number.
            let birth = max(0, min(entry.record.timestamp ?? entry.receivedAt, entry.receivedAt))
            oldest[entry.assignment] = min(oldest[entry.assignment] ?? .max, birth)
        }
        return oldest
    }
}
