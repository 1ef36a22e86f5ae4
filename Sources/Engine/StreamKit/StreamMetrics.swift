package import CoreMetrics
import Metrics

/// The metrics of one stream engine.
package struct StreamMetrics {
    private let records: Counter
    private let commits: Counter
    private let failures: Counter
    private let restoredRecords: Counter
    private let restoreSeconds: Gauge
    private let bytes: Gauge
    private let stalled: @Sendable (String) -> Gauge

    /// - Parameter thread: The number of the engine in its process. All engines add to the same counters; the
    ///   gauges have the number as a label.
    package init(thread: Int = 0, factory: any MetricsFactory) {
        let label = [("thread", "\(thread)")]
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

    func processed(_ count: Int) { self.records.increment(by: count) }
    func committed() { self.commits.increment() }
    func failed() { self.failures.increment() }
    func restored(_ count: Int) { self.restoredRecords.increment(by: count) }
    func restored(in seconds: Double) { self.restoreSeconds.record(seconds) }
    func stalled(by cause: String, _ isStalled: Bool) { self.stalled(cause).record(isStalled ? 1 : 0) }
    func held(bytes: Int) { self.bytes.record(bytes) }
}
