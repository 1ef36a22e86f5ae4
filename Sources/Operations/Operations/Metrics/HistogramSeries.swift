import CoreMetrics
import Synchronization

/// Counts observations by size. It serves `Timer` (in seconds) and recorders that aggregate.
///
/// An observation is one atomic addition and one atomic exchange. The series has no counter of all
/// observations: their number is the sum of the buckets at the time of reading, so that `_count` and the
/// `+Inf` bucket always agree.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    let identity: SeriesIdentity
    private let bounds: [Double]
    private let sum = AtomicDouble()
    private let counts: InlineArray<32, Atomic<UInt64>>

    init(identity: SeriesIdentity, buckets: HistogramBuckets) {
        self.identity = identity
        self.bounds = buckets.bounds
        self.counts = InlineArray { _ in Atomic(0) }
    }

    func recordNanoseconds(_ duration: Int64) {
        self.record(Double(duration) / 1_000_000_000)
    }

    func record(_ value: Int64) {
        self.record(Double(value))
    }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        var index = 0
        while index < self.bounds.count, value > self.bounds[index] {
            index += 1
        }
        self.counts[index].wrappingAdd(1, ordering: .relaxed)
        self.sum.add(value)
    }

    func write(to exposition: inout Exposition) {
        var running: UInt64 = 0
        for (index, bound) in self.bounds.enumerated() {
            running += self.counts[index].load(ordering: .relaxed)
            exposition.bucket(self.identity, upTo: Exposition.number(bound), count: running)
        }
        running += self.counts[self.bounds.count].load(ordering: .relaxed)
        exposition.bucket(self.identity, upTo: "+Inf", count: running)
        exposition.sample(self.identity, suffix: "_sum", value: Exposition.number(self.sum.value))
        exposition.sample(self.identity, suffix: "_count", value: String(running))
    }
}
