import Foundation
import Testing
import WorkerKit

@testable import Harness
@testable import Rehearsal
@testable import Trials

struct CostTableTests {
    private func measure(_ rate: Int, _ cpu: Int) throws -> CostRun.Measure {
        let line = #"{"program":"w","records":9,"per_second":\#(rate),"cpu_us":\#(cpu),"rss_kib":51200}"#
        return try JSONDecoder().decode(CostRun.Measure.self, from: Data(line.utf8))
    }

    @Test func mediansAreComparedAndNotMeansOrExtremes() throws {
        var table = CostTable()
        for (rate, cpu) in [(1_000, 40), (9_000, 10), (2_000, 50)] {
            table.add(try self.measure(rate, cpu), of: .atLeastOnce)
        }
        #expect(table.lines.isEmpty)
        for (rate, cpu) in [(1_600, 70), (1_400, 80)] {
            table.add(try self.measure(rate, cpu), of: .exactlyOnce)
        }
        #expect(
            table.lines == [
                "medians",
                "  at-least-once     2000 records/s    40.0 µs CPU/record      50 MiB",
                "  exactly-once      1500 records/s    75.0 µs CPU/record      50 MiB",
                "exactly-once is at 0.75 of the records per second, for 1.88 of the CPU per record",
            ]
        )
    }
}
