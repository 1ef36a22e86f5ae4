import CoreMetrics
import Metrics
import Operations
import Testing

struct MetricsPageTests {
    @Test func namesTheValuesOfALabel() {
        let page = MetricsPage(
            Array(
                """
                # TYPE worker_partition_next_offset gauge
                worker_partition_next_offset{partition="0",topic="work"} 12
                worker_partition_next_offset{topic="work",partition="3"} 7
                worker_partition_next_offset_total{partition="9"} 1
                worker_ready 1

                """.utf8
            )
        )
        #expect(page.values(of: "partition", in: "worker_partition_next_offset") == ["0", "3"])
        #expect(page.values(of: "partition", in: "worker_ready") == [])
        #expect(page.sum("worker_partition_next_offset", [("topic", "work")]) == 19)
        #expect(page.largest("worker_partition_next_offset") == 12)
        #expect(page.largest("worker_stalled") == nil)
        #expect(!page.shows("worker_stalled"))
    }

    /// A label can hold every character that ends a label elsewhere.
    @Test(arguments: ["plain", "a \"lane\"", "a\\b", "two\nlines", "},x=\"y\"} 7", "ü", ""])
    func readsWhatTheRegistryWrites(label: String) {
        let registry = PrometheusRegistry()
        Gauge(
            label: "worker_lane_held",
            dimensions: [("lane", label), ("reason", "gdt.-2")],
            factory: registry
        )
        .record(1)
        let series = MetricsPage(Array(registry.exposition().utf8)).series(of: "worker_lane_held")
        #expect(series.map(\.labels) == [["lane": label, "reason": "gdt.-2"]])
        #expect(series.map(\.value) == [1])
    }

    @Test(arguments: [
        "", "worker_ready", "worker_ready x", "worker_ready NaN", "worker_ready +Inf", "{} ", " ",
    ])
    func leavesOutWhatIsNoSample(line: String) {
        #expect(!MetricsPage(Array(line.utf8)).shows("worker_ready"))
    }
}
