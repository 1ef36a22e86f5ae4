/// A number that is read when a page is written, for facts that nobody counts: what the system knows of the
/// process, or how the worker is.
final class SampledSeries: MetricSeries {
    let identity: SeriesIdentity
    private let read: @Sendable () -> Double?

    /// - Parameter read: returns the present number; nil leaves the series out of the page.
    init(identity: SeriesIdentity, read: @escaping @Sendable () -> Double?) {
        self.identity = identity
        self.read = read
    }

    func write(to exposition: inout Exposition) {
        guard let value = self.read() else { return }
        exposition.sample(self.identity, value: Exposition.number(value))
    }
}

extension PrometheusRegistry {
    /// Adds a gauge whose value is read at every scrape.
    ///
    /// - Parameter read: returns the present value, on the thread of the scrape; nil leaves the series out of
    ///   the page.
    package func sampleGauge(
        _ label: String,
        _ dimensions: [(String, String)] = [],
        read: @escaping @Sendable () -> Double?
    ) {
        self.sample(MetricName(label), dimensions, kind: .gauge, read: read)
    }

    /// Adds a counter whose value is read at every scrape. The value must never fall.
    package func sampleCounter(
        _ label: String,
        _ dimensions: [(String, String)] = [],
        read: @escaping @Sendable () -> Double?
    ) {
        self.sample(MetricName(label).counter, dimensions, kind: .counter, read: read)
    }

    private func sample(
        _ name: MetricName,
        _ dimensions: [(String, String)],
        kind: MetricFamily.Kind,
        read: @escaping @Sendable () -> Double?
    ) {
        _ = self.series(name, dimensions, kind: kind) { identity, _ in
            SampledSeries(identity: identity, read: read)
        }
    }
}
