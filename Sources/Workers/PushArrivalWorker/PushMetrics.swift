import Metrics
import Operations
import ServiceKit
import StreamKit
import WireFormats

/// The worker's metrics, under the names that dashboards and alerts use. The object is used on the engine's
/// thread only.
final class PushMetrics {
    private let factory: PrometheusRegistry
    private let standings: [PushStanding: Counter]
    private let hops: Counter
    private let snapshots: Counter
    private let unreadable: Counter
    private let unknownFields: Counter
    /// The counters of events that have no standing, by their result.
    private var others: [String: Counter] = [:]

    init(factory: PrometheusRegistry) {
        self.factory = factory
        self.standings = Dictionary(
            uniqueKeysWithValues: PushStanding.allCases.map {
                ($0, Self.events($0.rawValue, factory))
            }
        )
        self.hops = Counter(label: "push_events_sent_home_total", factory: factory)
        self.snapshots = Counter(label: "push_statistics_told_total", factory: factory)
        self.unknownFields = Counter(label: UnknownFieldsMetric.name, factory: factory)
        self.unreadable = Counter(label: "push_parts_unreadable_total", factory: factory)
    }

    private static func events(_ result: String, _ factory: PrometheusRegistry) -> Counter {
        Counter(label: "push_events_total", dimensions: [("result", result)], factory: factory)
    }

    /// Sets the help texts of all metrics of the worker.
    static func describe(in registry: PrometheusRegistry) {
        StreamMetrics.describe(in: registry)
        for (name, help) in [
            ("push_events_total", "Events by what they counted as."),
            ("push_events_sent_home_total", "Events that were sent on to the partition of their device."),
            ("push_statistics_told_total", "Snapshots of messages that were published."),
            (
                "push_parts_unreadable_total",
                "Records of the parts topic that no worker of this version has written."
            ),
            (
                "push_segments_fallen",
                "Segments of devices whose arrivals that are reported within an hour have fallen."
            ),
            (UnknownFieldsMetric.name, UnknownFieldsMetric.help),
            ("push_devices_held", "Devices and messages that are remembered, by input partition."),
            ("push_messages_held", "Messages and segments of a day that are remembered, by input partition."),
        ] { registry.describe(name, help: help) }
    }

    /// Counts an event that was understood, by its standing.
    func counted(_ standing: PushStanding) { self.standings[standing]?.increment() }

    /// Counts an event that has no standing.
    ///
    /// - Parameter result: `rejected`, `beyond_limit` (of the setting `push.new_messages`) or
    ///   `dead_lettered`.
    func counted(_ result: String) {
        let counter = self.others[result] ?? Self.events(result, self.factory)
        self.others[result] = counter
        counter.increment()
    }

    /// Counts an event that was sent on to another partition.
    func sentHome() { self.hops.increment() }

    /// Counts a publication of the statistics of one message.
    func toldStatistics() { self.snapshots.increment() }

    /// Counts a record in JSON with members that its schema does not have.
    func unknownFieldsFound() { self.unknownFields.increment() }

    /// Counts a record of the parts topic that cannot be read, or that has killed three processes.
    func unreadablePart() { self.unreadable.increment() }

    /// Removes the gauges of an input partition that was given up.
    func forget(_ partition: Int32) {
        for name in Self.gauges { self.gauge(name, of: partition).destroy() }
    }

    /// Sets the numbers of devices and messages that an input partition remembers.
    func held(devices: Int, messages: Int, by partition: Int32) {
        for (name, count) in zip(Self.gauges, [devices, messages]) {
            self.gauge(name, of: partition).record(count)
        }
    }

    private static let gauges = ["push_devices_held", "push_messages_held"]

    /// Finds or makes a gauge. No gauge is kept here: a partition may move to another thread of this process,
    /// and the thread that forgets it late must not take the other's gauge away for good.
    private func gauge(_ name: String, of partition: Int32) -> Gauge {
        Gauge(label: name, dimensions: [("partition", "\(partition)")], factory: self.factory)
    }
}
