import Metrics
package import Operations
import ServiceKit
import StreamKit

/// The metrics of the intake. The object is used on the engine's thread only.
package final class IntakeMetrics {
    private let factory: PrometheusRegistry
    private var counters: [String: Counter] = [:]
    private let unreadable: Counter
    private let forgotten: Counter
    private let unknownFields: Counter

    package init(factory: PrometheusRegistry) {
        self.factory = factory
        self.unreadable = Counter(label: "intake_records_unreadable_total", factory: factory)
        self.unknownFields = Counter(label: UnknownFieldsMetric.name, factory: factory)
        self.forgotten = Counter(label: "intake_forgotten_early_total", factory: factory)
    }

    /// Sets the help texts of all metrics.
    static func describe(in registry: PrometheusRegistry) {
        StreamMetrics.describe(in: registry)
        for (name, help) in [
            ("intake_records_total", "Records that came in, by kind and by fate."),
            ("intake_records_unreadable_total", "Records of the home topic that no intake has written."),
            (
                "intake_forgotten_early_total",
                "Things that were forgotten before their time, because memory is short."
            ),
            (UnknownFieldsMetric.name, UnknownFieldsMetric.help),
            ("intake_remembered", "Things that are remembered, by kind and partition."),
        ] { registry.describe(name, help: help) }
    }

    /// Counts a thing that came in.
    ///
    /// - Parameters:
    ///   - kind: `upload`, `event`, `click` or `activation`.
    ///   - result: what became of it: one of a few words of the tasks.
    func counted(_ kind: String, _ result: String) {
        let name = "\(kind) \(result)"
        let counter =
            self.counters[name]
            ?? Counter(
                label: "intake_records_total",
                dimensions: [("kind", kind), ("result", result)],
                factory: self.factory
            )
        self.counters[name] = counter
        counter.increment()
    }

    /// Counts a record of the home topic that cannot be read.
    func unreadableRecord() { self.unreadable.increment() }

    /// Counts an activation in JSON with members that its schema does not have.
    func unknownFieldsFound() { self.unknownFields.increment() }

    /// Counts a thing that is forgotten before its time.
    func forgottenEarly() { self.forgotten.increment() }

    /// Sets the number of things of a kind that a partition remembers.
    func holds(_ count: Int, of kind: RememberedKind, partition: Int32) {
        self.gauge(of: kind, partition).record(count)
    }

    /// Removes the gauges of a partition that was given up.
    func forget(_ partition: Int32) {
        for kind in RememberedKind.allCases { self.gauge(of: kind, partition).destroy() }
    }

    /// Finds or makes a gauge. No gauge is kept here: a partition may move to another thread of this process,
    /// and the thread that forgets it late must not take the other's gauge away for good.
    private func gauge(of kind: RememberedKind, _ partition: Int32) -> Gauge {
        let labels = [("kind", "\(kind)"), ("partition", "\(partition)")]
        return Gauge(label: "intake_remembered", dimensions: labels, factory: self.factory)
    }
}
