package import CoreMetrics

/// The registry as the factory of swift-metrics. A metric that the registry refuses is replaced by one that
/// counts nothing.
extension PrometheusRegistry: MetricsFactory {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series(MetricName(label).counter, dimensions, kind: .counter) { identity, _ in
            CounterSeries(identity: identity)
        } ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        self.series(MetricName(label).counter, dimensions, kind: .counter) { identity, _ in
            FloatingPointCounterSeries(identity: identity)
        } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.gauge(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return self.gauge(label, dimensions) ?? NOOPMetricsHandler.instance }
        return self.histogram(label, dimensions, buckets: .counts) ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.histogram(label, dimensions, buckets: .seconds) ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { self.destroy(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        self.destroy(handler)
    }
    package func destroyMeter(_ handler: any MeterHandler) { self.destroy(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { self.destroy(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { self.destroy(handler) }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries? {
        self.series(MetricName(label), dimensions, kind: .gauge) { identity, _ in
            GaugeSeries(identity: identity)
        }
    }

    private func histogram(
        _ label: String,
        _ dimensions: [(String, String)],
        buckets: HistogramBuckets
    ) -> HistogramSeries? {
        self.series(MetricName(label), dimensions, kind: .histogram, defaultBuckets: buckets) {
            HistogramSeries(identity: $0, buckets: $1)
        }
    }
}
