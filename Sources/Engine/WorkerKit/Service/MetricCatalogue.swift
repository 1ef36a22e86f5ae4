package import Operations
import ServiceKit

/// The meaning of each metric, and the buckets of each histogram: the text behind `# HELP`.
package enum MetricCatalogue {
    package static func describe(in registry: PrometheusRegistry) {
        PartitionGauges.describe(in: registry)
        SpanQueue.describe(in: registry)
        for (name, help) in self.helps { registry.describe(name, help: help) }
        registry.describe(
            "worker_record_attempts",
            help: "Calls made for a record until it was settled.",
            buckets: [0, 1, 2, 3, 5, 8, 13, 21]
        )
        registry.describe(
            "worker_end_to_end_latency_seconds",
            help: "From the arrival of a record to the broker's acknowledgement of its outcome.",
            buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600]
        )
        registry.describe(
            "http_client_request_duration_seconds",
            help: "From the start of a call to the end of its answer, in turns of the engine.",
            buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
        )
        registry.describe(
            "worker_revoke_drain_seconds",
            help: "How long a drain took before partitions were given up.",
            buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 20, 60, 240]
        )
    }

    private static let helps: [(String, String)] = [
        ("worker_paused", "1 while an operator has paused the worker, a lane or an endpoint."),
        ("messaging_client_consumed_messages_total", "Records taken in."),
        (
            "messaging_client_sent_messages_total",
            "Outcomes and dead letters that the broker has acknowledged."
        ),
        ("worker_partitions_paused", "Partitions that are not read now, by the cause."),
        ("worker_records_total", "Records by what became of them."),
        (
            "worker_absent_offsets_total",
            "Offsets of consumed topics without a record: compacted, aborted, or a transaction marker."
        ),
        (UnknownFieldsMetric.name, UnknownFieldsMetric.help),
        ("worker_stale_completions_total", "Answers that came after their record had been given up."),
        (
            "worker_calls_cut_short_total",
            "Calls that hung and were ended while other records waited for their slots."
        ),
        ("worker_lanes_held_total", "Times a lane was held because its configuration looked broken."),
        ("worker_lane_held", "1 while a lane is held or was asked to wait, by lane and reason."),
        ("worker_records_parked_total", "Times a record had to wait for a held lane."),
        ("worker_parking_tickets_total", "Records put aside in the parking topic."),
        ("worker_parking_tickets", "Records that are put aside in the parking topic now."),
        ("worker_parking_oldest_age_seconds", "Since the oldest of them was published."),
        ("worker_records_condemned", "Records that wait for the dead-letter budget to become dead letters."),
        ("worker_dead_letter_budget_rejections_total", "Times a dead letter had to wait for the budget."),
        (
            "worker_head_of_line_resolved_total",
            "Records that held up their partition and were sent elsewhere."
        ),
        ("worker_order_bypassed_total", "Times the order of a key was switched off for a while."),
        ("worker_upstream_concurrency_limit", "Calls that may be in flight now."),
        ("worker_upstream_concurrency_limit_shadow", "Calls that the adaptive limit would allow."),
        ("worker_upstream_rate_limit_factor_percent", "Share of the rate that upstream throttling has left."),
        ("worker_upstream_rate_limit_per_second", "Calls a second of this worker's share, rounded down."),
        ("worker_commits_total", "Commits by result."),
        ("worker_result_produce_failures_total", "Outcome records that the broker did not take at once."),
        ("worker_dead_letter_produce_failures_total", "Dead letters that the broker did not take at once."),
        ("worker_upstream_retry_after_seconds", "The last wait that the upstream asked everybody for."),
        ("worker_circuit_state", "0 closed, 1 half open, 2 open; of each endpoint, if there are several."),
        (
            "worker_circuit_open",
            "1 while a circuit breaker is not closed, by the reason of the failure that opened it."
        ),
        ("worker_circuit_transitions_total", "Changes of the circuit breaker by the state it went to."),
        ("worker_dead_letters_total", "Dead letters by class and reason."),
        ("worker_retries_total", "Attempts that will be repeated, by reason."),
        ("worker_rebalances_total", "Rebalances by kind."),
        ("worker_upstream_requests_total", "Calls by HTTP status, or by how the transfer broke."),
        ("worker_records_inflight", "Calls in flight."),
        ("worker_records_waiting", "Records that wait for a slot."),
        ("worker_records_blocked", "Records whose endpoint may not be called now."),
        ("worker_records_backoff", "Records that wait for their next attempt."),
        ("worker_records_parked", "Records that wait for a held lane."),
        ("worker_records_settling", "Records whose outcome the broker has not acknowledged."),
        ("worker_records_in_hand", "Records taken in and not settled."),
        ("worker_bytes_in_hand", "Bytes of the records in hand, of requests on their way and of answers."),
        ("worker_partitions_assigned", "Partitions that this worker has."),
        ("worker_partition_assignment_epoch", "Counts the assignments of this process."),
        ("worker_lanes_held", "Lanes held now."),
        ("worker_lane_records_parked", "Records that wait for a held lane, by lane."),
        ("worker_stalled", "1 while the worker has something to do and stands still, by the cause."),
        (
            "worker_clock_ahead_milliseconds",
            "How far the wall clock is ahead of the time that deadlines are judged by; 0 while it is believed."
        ),
        ("worker_partition_incomplete_offsets", "Records of a partition in hand."),
        (
            "worker_partition_overflow_records",
            "Records read that wait for the window of a partition to move."
        ),
        ("worker_partition_contiguous_offset", "The offset up to which everything is settled."),
        ("worker_partition_highest_completed_offset", "The newest offset that is settled."),
        (
            "worker_partition_last_commit_age_seconds",
            "Time since a commit of the partition was acknowledged."
        ),
        ("worker_partition_commit_metadata_bytes", "Length of the metadata of the last commit."),
    ]
}
