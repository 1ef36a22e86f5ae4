import CoreMetrics
import Synchronization

/// A whole number that only grows. An increment is one atomic addition.
final class CounterSeries: CounterHandler, MetricSeries {
    let identity: SeriesIdentity
    private let count = Atomic<UInt64>(0)

    init(identity: SeriesIdentity) {
        self.identity = identity
    }

    /// Adds an amount. A negative amount is ignored, because Prometheus treats a counter that falls as one
    /// that was restarted.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        self.count.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    func reset() {
        self.count.store(0, ordering: .relaxed)
    }

    func write(to exposition: inout Exposition) {
        exposition.sample(self.identity, value: String(self.count.load(ordering: .relaxed)))
    }
}

/// A number with fractions that only grows. Negative and infinite amounts are ignored.
final class FloatingPointCounterSeries: FloatingPointCounterHandler, MetricSeries {
    let identity: SeriesIdentity
    private let sum = AtomicDouble()

    init(identity: SeriesIdentity) {
        self.identity = identity
    }

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        self.sum.add(amount)
    }

    func reset() {
        self.sum.set(0)
    }

    func write(to exposition: inout Exposition) {
        exposition.sample(self.identity, value: Exposition.number(self.sum.value))
    }
}
