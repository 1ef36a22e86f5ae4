package import CoreMetrics
import Metrics
package import Operations
import ServiceKit

/// The metrics of one stream engine.
package struct StreamMetrics {
    private let records: Counter
    private let commits: Counter
    private let failures: Counter
    private let restoredRecords: Counter
    private let restoreSeconds: Gauge
    private let bytes: Gauge
    private let backlog: Gauge
    private let clockAhead: Gauge
    private let stalled: @Sendable (String) -> Gauge
    /// The gauges of the assigned partitions.
    let partitions: PartitionGauges

    /// - Parameter thread: The number of the engine in its process. All engines add to the same counters; the
    ///   gauges have the number as a label.
    package init(thread: Int = 0, factory: any MetricsFactory) {
        let label = [("thread", "\(thread)")]
        self.partitions = PartitionGauges(factory: factory)
        self.backlog = Gauge(label: "worker_backlog_records", dimensions: label, factory: factory)
        self.clockAhead = Gauge(
            label: "worker_clock_ahead_milliseconds",
            dimensions: label,
            factory: factory
        )
        self.records = Counter(label: "worker_stream_records_total", factory: factory)
        self.commits = Counter(
            label: "worker_stream_transactions_total",
            dimensions: [("outcome", "committed")],
            factory: factory
        )
        self.failures = Counter(
            label: "worker_stream_transactions_total",
            dimensions: [("outcome", "failed")],
            factory: factory
        )
        self.restoredRecords = Counter(label: "worker_stream_restored_records_total", factory: factory)
        self.restoreSeconds = Gauge(
            label: "worker_stream_restore_seconds",
            dimensions: label,
            factory: factory
        )
        self.bytes = Gauge(label: "worker_stream_state_bytes", dimensions: label, factory: factory)
        self.stalled = { cause in
            Gauge(label: "worker_stalled", dimensions: [("cause", cause)] + label, factory: factory)
        }
    }

    /// Sets the help texts of what every stream worker shows.
    package static func describe(in registry: PrometheusRegistry) {
        PartitionGauges.describe(in: registry)
        for (name, help) in [
            ("worker_stream_records_total", "Records processed, also of transactions that failed."),
            ("worker_stream_transactions_total", "Transactions by how they ended."),
            ("worker_stream_restored_records_total", "Records read back to know the state again."),
            (
                "worker_stream_restore_seconds",
                "How long it took to read back the last partition's state, by thread."
            ),
            (
                "worker_stalled",
                "1 while nothing is finished although there is something to do, by cause and thread."
            ),
            ("worker_stream_state_bytes", "Memory that the state takes, by thread."),
            (
                "worker_clock_ahead_milliseconds",
                "How far the wall clock is ahead of the time that is used, by thread."
            ),
        ] { registry.describe(name, help: help) }
    }

    func processed(_ count: Int) { self.records.increment(by: count) }
    func committed() { self.commits.increment() }
    func failed() { self.failures.increment() }
    func restored(_ count: Int) { self.restoredRecords.increment(by: count) }
    func restored(in seconds: Double) { self.restoreSeconds.record(seconds) }
    func stalled(by cause: String, _ isStalled: Bool) { self.stalled(cause).record(isStalled ? 1 : 0) }
    func held(bytes: Int) { self.bytes.record(bytes) }
    func clockIsAhead(milliseconds: Int) { self.clockAhead.record(milliseconds) }
    /// Shows the number of records that are left to do.
    func left(_ records: Int64) { self.backlog.record(records) }
}
