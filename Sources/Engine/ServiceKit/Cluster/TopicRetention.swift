package import Kafka
import Metrics
package import Operations

/// The metric of how long topics keep their records. With it an alert can tell when the oldest unfinished
/// record, a parked one or a dead letter comes near the end that its topic sets.
package enum TopicRetention {
    /// Shows the retention of each topic that has one, as the cluster tells it now.
    package static func show(_ settings: [String: TopicSettings], in registry: PrometheusRegistry) {
        for (topic, settings) in settings {
            guard let time = settings.number("retention.ms"), time >= 0 else { continue }
            let labels = [("topic", topic)]
            Gauge(label: "worker_topic_retention_seconds", dimensions: labels, factory: registry)
                .record(time / 1_000)
        }
    }
}
