package import CoreMetrics
package import Kafka
import Metrics
package import Operations

/// The gauges of the partitions that an engine has. A partition that is given up takes its gauges with it, and
/// its next owner shows them. Only the engine's thread may use the object.
package final class PartitionGauges {
    private let factory: any MetricsFactory
    private var gauges: [TopicPartition: [String: Gauge]] = [:]

    package init(factory: any MetricsFactory) { self.factory = factory }

    /// Sets the help texts of what both engines show of their partitions.
    package static func describe(in registry: PrometheusRegistry) {
        for (name, help) in [
            (
                "worker_backlog_records",
                "Records of all assigned partitions that are neither settled nor parked."
            ),
            (
                "worker_partition_backlog_records",
                "Records of a partition that are neither settled nor parked; right however they finish."
            ),
            (
                "worker_partition_lag_records",
                "Offsets between the committed one and the end of the log, settled or not."
            ),
            ("worker_partition_log_end_offset", "The offset that the next record of a partition gets."),
            ("worker_partition_log_start_offset", "The oldest offset that the cluster keeps."),
            ("worker_partition_committed_offset", "The last committed offset."),
            ("worker_partition_next_offset", "The offset that is expected next."),
            ("worker_oldest_unfinished_age_seconds", "Age of the oldest unfinished record of a partition."),
            (
                "worker_topic_retention_seconds",
                "How long a topic keeps a record, as the cluster told when the worker started."
            ),
        ] { registry.describe(name, help: help) }
    }

    /// Sets a gauge, which is made at its first use.
    package func set(_ name: String, _ value: some BinaryInteger, of partition: TopicPartition) {
        let gauge = self.gauges[partition]?[name] ?? self.gauge(name, of: partition)
        gauge.record(Int64(clamping: value))
    }

    private func gauge(_ name: String, of partition: TopicPartition) -> Gauge {
        let labels = [("topic", partition.topic), ("partition", String(partition.partition))]
        let gauge = Gauge(label: name, dimensions: labels, factory: self.factory)
        self.gauges[partition, default: [:]][name] = gauge
        return gauge
    }

    /// Shows what the cluster holds of a partition and how far the group is.
    ///
    /// - Parameters:
    ///   - committed: The offset that the group has committed; nil if it has never committed one.
    ///   - backlog: The number of records that are not settled.
    package func show(_ bounds: LogBounds, committed: Int64?, backlog: Int64, of partition: TopicPartition) {
        self.set("worker_partition_log_end_offset", bounds.end, of: partition)
        if let start = bounds.start { self.set("worker_partition_log_start_offset", start, of: partition) }
        let done = committed ?? bounds.start ?? 0
        self.set("worker_partition_lag_records", max(0, bounds.end - done), of: partition)
        self.set("worker_partition_backlog_records", backlog, of: partition)
    }

    /// Removes the gauges of a partition that was given up.
    package func forget(_ partition: TopicPartition) {
        guard let gauges = self.gauges.removeValue(forKey: partition) else { return }
        for gauge in gauges.values { gauge.destroy() }
    }

    /// Removes the gauges of all partitions but these.
    package func forgetAll(except partitions: Set<TopicPartition>) {
        for partition in self.gauges.keys where !partitions.contains(partition) { self.forget(partition) }
    }
}
