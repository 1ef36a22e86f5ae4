import CoreMetrics
import EventThread
import Metrics
package import Operations
import Synchronization

/// The finished spans between the engine and the exporter. The queue is bounded: if it is full, spans are dropped
/// and counted, and the engine never waits.
package final class SpanQueue: Sendable {
    /// The reasons for which spans are dropped.
    enum Loss: String, CaseIterable {
        /// The exporter is slower than the engine, or the collector does not answer.
        case queueFull = "queue_full"
        /// The collector has refused the spans, or has not taken them in several tries.
        case notTaken = "not_taken"
        /// One record had more spans than are kept.
        case tooMany = "too_many"
    }

    /// The most spans that wait.
    static let limit = 8_192
    /// The number of spans at which the exporter is woken before its time.
    static let batch = 512

    private let spans = Mutex<[Span]>([])
    private let exported: Counter
    private let losses: [Loss: Counter]
    /// Wakes the exporter.
    let bell = Doorbell()

    package init(registry: PrometheusRegistry) {
        self.exported = Counter(label: "tracing_spans_exported_total", factory: registry)
        self.losses = Dictionary(
            uniqueKeysWithValues: Loss.allCases.map {
                let labels = [("cause", $0.rawValue)]
                let counter = Counter(
                    label: "tracing_spans_dropped_total",
                    dimensions: labels,
                    factory: registry
                )
                return ($0, counter)
            }
        )
    }

    /// Sets the help texts.
    package static func describe(in registry: PrometheusRegistry) {
        registry.describe("tracing_spans_exported_total", help: "Spans that the collector has taken.")
        registry.describe("tracing_spans_dropped_total", help: "Spans that were given up, by the cause.")
    }

    /// Adds the spans of one record, or drops all of them if there is no room.
    func add(_ spans: [Span]) {
        let (before, after) = self.spans.withLock { waiting in
            let before = waiting.count
            if before + spans.count <= Self.limit { waiting += spans }
            return (before, waiting.count)
        }
        if after == before { self.dropped(spans.count, because: .queueFull) }
        if before < Self.batch, after >= Self.batch { self.bell.ring() }
    }

    /// Takes out the oldest spans.
    func take(atMost limit: Int) -> [Span] {
        self.spans.withLock { waiting in
            let taken = Array(waiting.prefix(limit))
            waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// The number of spans that wait.
    var count: Int { self.spans.withLock { $0.count } }

    func exported(_ count: Int) { self.exported.increment(by: count) }

    func dropped(_ count: Int, because loss: Loss) { self.losses[loss]?.increment(by: count) }
}
