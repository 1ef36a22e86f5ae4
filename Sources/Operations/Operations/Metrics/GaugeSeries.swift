import CoreMetrics

/// A number that rises and falls. It serves `Meter`, `Gauge`, and any recorder that does not aggregate.
final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    let identity: SeriesIdentity
    private let current = AtomicDouble()

    init(identity: SeriesIdentity) {
        self.identity = identity
    }

    func set(_ value: Int64) {
        self.current.set(Double(value))
    }

    func set(_ value: Double) {
        self.current.set(value)
    }

    func increment(by amount: Double) {
        guard amount.isFinite else { return }
        self.current.add(amount)
    }

    func decrement(by amount: Double) {
        self.increment(by: -amount)
    }

    func record(_ value: Int64) {
        self.current.set(Double(value))
    }

    func record(_ value: Double) {
        self.current.set(value)
    }

    func write(to exposition: inout Exposition) {
        exposition.sample(self.identity, value: Exposition.number(self.current.value))
    }
}
