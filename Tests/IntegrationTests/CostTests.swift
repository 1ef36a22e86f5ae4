import Foundation
import Testing

/// `flotilla-lab cost`, small: both deliveries are measured, and nobody is left behind.
@Suite(.timeLimit(.minutes(10)))
struct CostTests {
    @Test func bothDeliveriesAreMeasured() throws {
        let cost = try CommandUnderTest(["cost", "--records", "300", "--rounds", "2", "--latency", "1"])
        #expect(cost.exitStatus() == 0, "\(cost.text)")
        #expect(cost.waitForLine("of the CPU per record"), "\(cost.text)")
        // Two runs of each, and the median of each.
        for delivery in ["at-least-once", "exactly-once"] {
            #expect(cost.text.split(separator: "\n").count { $0.hasPrefix("  \(delivery) ") } == 3)
        }
        #expect(cost.survivors() == [])
    }
}
