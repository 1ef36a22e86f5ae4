import CoreMetrics
import Foundation
import Operations
import Synchronization
import Testing

/// Holds threads until all have come.
private final class Gate: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) {
        self.missing = Atomic(count)
    }

    func pass() {
        self.missing.wrappingSubtract(1, ordering: .relaxed)
        while self.missing.load(ordering: .relaxed) > 0 {}
    }
}

struct PrometheusRegistryTests {
    let registry = PrometheusRegistry()

    @Test func writesAPageThatPrometheusReads() {
        self.registry.describe("worker_records", help: "Records settled.\nBy \\outcome.")
        self.registry.describe("latency_seconds", help: "Time.", buckets: [0.5, 0.1, 1])
        let counter = Counter(
            label: "worker_records",
            dimensions: [("topic", "a"), ("outcome", "say \"no\"\\\n")],
            factory: self.registry
        )
        counter.increment(by: 41)
        counter.increment()
        Counter(label: "worker_records", dimensions: [("topic", "B")], factory: self.registry).increment()
        FloatingPointCounter(label: "throttled_seconds", factory: self.registry).increment(by: 1.5)
        Gauge(label: "worker.in-flight", factory: self.registry).record(7)
        let meter = Meter(label: "9lives", factory: self.registry)
        meter.set(3)
        meter.decrement(by: 0.5)
        let timer = CoreMetrics.Timer(
            label: "latency_seconds",
            dimensions: [("le", "x")],
            factory: self.registry
        )
        timer.recordMilliseconds(100)
        timer.recordMilliseconds(250)
        timer.recordSeconds(2)

        #expect(
            self.registry.exposition() == #"""
                # TYPE _9lives gauge
                _9lives 2.5
                # HELP latency_seconds Time.
                # TYPE latency_seconds histogram
                latency_seconds_bucket{label_le="x",le="0.1"} 1
                latency_seconds_bucket{label_le="x",le="0.5"} 2
                latency_seconds_bucket{label_le="x",le="1"} 2
                latency_seconds_bucket{label_le="x",le="+Inf"} 3
                latency_seconds_sum{label_le="x"} 2.35
                latency_seconds_count{label_le="x"} 3
                # TYPE throttled_seconds_total counter
                throttled_seconds_total 1.5
                # TYPE worker_in_flight gauge
                worker_in_flight 7
                # HELP worker_records_total Records settled.\nBy \\outcome.
                # TYPE worker_records_total counter
                worker_records_total{outcome="say \"no\"\\\n",topic="a"} 42
                worker_records_total{topic="B"} 1

                """#
        )
    }

    @Test func anEmptyRegistryIsAnEmptyPage() {
        #expect(self.registry.exposition().isEmpty)
    }

    @Test func countsEveryIncrementOfEveryThread() async {
        let counter = Counter(label: "hits", factory: self.registry)
        let sum = FloatingPointCounter(label: "sum", factory: self.registry)
        let recorder = Recorder(label: "sizes", factory: self.registry)
        // Threads of their own, let go together: tasks may happen to run one after the other.
        let gate = Gate(4)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            gate.pass()
                            for round in 0..<60_000 {
                                counter.increment()
                                sum.increment(by: 0.5)
                                recorder.record(round % 3)
                            }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        let page = self.registry.exposition()
        #expect(page.contains("hits_total 240000\n"))
        #expect(page.contains("sum_total 120000\n"))
        #expect(page.contains("sizes_count 240000\n"))
        #expect(page.contains("sizes_sum 240000\n"))
    }

    @Test func theSameNameAndLabelsInAnyOrderAreOneSeries() {
        for dimensions in [[("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")]] {
            Counter(label: "hits_total", dimensions: dimensions, factory: self.registry).increment()
        }
        #expect(self.registry.exposition().contains("hits_total{a=\"1\",b=\"2\"} 2\n"))
    }

    @Test func boundsTheSeriesOfAName() {
        let registry = PrometheusRegistry(seriesLimit: 2)
        for index in 0..<5 {
            Counter(label: "hits", dimensions: [("n", "\(index)")], factory: registry).increment()
        }
        Counter(label: "others", factory: registry).increment()
        let page = registry.exposition()
        #expect(page.contains("hits_total{n=\"1\"} 1\n"))
        #expect(!page.contains("n=\"2\""))
        #expect(page.contains("others_total 1\n"))
        #expect(page.contains("# TYPE metrics_dropped_series_total counter\n"))
        #expect(page.contains("metrics_dropped_series_total{metric=\"hits_total\"} 3\n"))
    }

    @Test func refusesANameThatIsAlreadyOfAnotherType() {
        Gauge(label: "depth", factory: self.registry).record(1)
        CoreMetrics.Timer(label: "depth", factory: self.registry).recordSeconds(1)
        FloatingPointCounter(label: "hits", factory: self.registry).increment()
        Counter(label: "hits", factory: self.registry).increment()
        let page = self.registry.exposition()
        #expect(page.contains("depth 1\n"))
        #expect(page.contains("hits_total 1\n"))
        #expect(page.contains("metrics_dropped_series_total{metric=\"depth\"} 1\n"))
        #expect(page.contains("metrics_dropped_series_total{metric=\"hits_total\"} 1\n"))
    }

    @Test func aDestroyedSeriesLeavesThePageAndMakesRoom() {
        let registry = PrometheusRegistry(seriesLimit: 1)
        let first = Meter(label: "lag", dimensions: [("partition", "0")], factory: registry)
        first.destroy()
        #expect(registry.exposition().isEmpty)
        let second = Meter(label: "lag", dimensions: [("partition", "0")], factory: registry)
        second.set(4)
        first.destroy()
        #expect(registry.exposition().contains("lag{partition=\"0\"} 4\n"))
        second.destroy()

        let counter = Counter(label: "a", factory: registry)
        let fraction = FloatingPointCounter(label: "b", factory: registry)
        let recorder = Recorder(label: "c", factory: registry)
        let timer = CoreMetrics.Timer(label: "d", factory: registry)
        counter.destroy()
        fraction.destroy()
        recorder.destroy()
        timer.destroy()
        #expect(registry.exposition().isEmpty)
    }

    @Test func ignoresWhatACounterOrHistogramCannotTake() {
        let counter = Counter(label: "c", factory: self.registry)
        counter.increment(by: -5)
        let recorder = Recorder(label: "r", factory: self.registry)
        recorder.record(Double.nan)
        recorder.record(Double.infinity)
        let gauge = Gauge(label: "g", factory: self.registry)
        gauge.record(-Double.infinity)
        let page = self.registry.exposition()
        #expect(page.contains("c_total 0\n"))
        #expect(page.contains("r_count 0\n"))
        #expect(page.contains("g -Inf\n"))
    }

    @Test func resetStartsACounterAgain() {
        let counter = Counter(label: "c", factory: self.registry)
        counter.increment(by: 3)
        counter.reset()
        counter.increment()
        #expect(self.registry.exposition().contains("c_total 1\n"))
    }
}
