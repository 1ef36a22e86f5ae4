import CoreMetrics
import Foundation
import Operations
import Synchronization
import Testing

/// Numbers that are read at a scrape.
struct ProcessMetricsTests {
    private static func value(_ name: String, _ page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix("\(name) ") }?.split(separator: " ").last
            .flatMap { Double($0) }
    }

    @Test func theProcessTellsWhatItTakes() throws {
        let registry = PrometheusRegistry()
        ProcessMetrics.add(to: registry)
        var page = registry.exposition()
        let cpu = try #require(Self.value("process_cpu_seconds_total", page))
        let memory = try #require(Self.value("process_resident_memory_bytes", page))
        #expect(memory > 1_048_576 && memory <= Self.value("process_virtual_memory_bytes", page) ?? 0)
        let start = try #require(Self.value("process_start_time_seconds", page))
        let now = Date().timeIntervalSince1970
        #expect(start > now - 86_400 && start <= now + 1)
        #expect(page.contains("# TYPE process_cpu_seconds_total counter\n"))
        #expect(page.contains("# TYPE process_open_fds gauge\n"))
        let open = try #require(Self.value("process_open_fds", page))
        #expect(open >= 3 && open <= Self.value("process_max_fds", page) ?? 0)
        // Work raises the CPU time; the loop ends when that is seen.
        var sum: UInt64 = 0
        while Self.value("process_cpu_seconds_total", page) ?? 0 <= cpu {
            for number in 0..<100_000 as Range<UInt64> { sum &+= number &* number }
            page = registry.exposition()
        }
        #expect(sum > 0)
    }

    @Test func aSampleIsReadAtEachScrapeAndLeftOutWithoutAValue() {
        let registry = PrometheusRegistry()
        let value = Mutex<Double?>(1.5)
        registry.sampleGauge("sampled", [("a", "b")]) { value.withLock { $0 } }
        #expect(registry.exposition().contains("sampled{a=\"b\"} 1.5\n"))
        value.withLock { $0 = 2 }
        #expect(registry.exposition().contains("sampled{a=\"b\"} 2\n"))
        value.withLock { $0 = nil }
        #expect(!registry.exposition().contains("sampled{"))
    }
}
