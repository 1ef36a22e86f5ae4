import Testing

@testable import Harness
@testable import Rehearsal
@testable import Trials

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
    }
}
