import Foundation
import WorkerKit

/// The measurements of both deliveries, and their comparison.
struct CostTable {
    private var measures: [EngineSettings.Delivery: [CostRun.Measure]] = [:]

    mutating func add(_ measure: CostRun.Measure, of delivery: EngineSettings.Delivery) {
        self.measures[delivery, default: []].append(measure)
    }

    static func line(_ delivery: EngineSettings.Delivery, _ measure: CostRun.Measure) -> String {
        self.line(
            delivery.rawValue,
            rate: measure.perSecond,
            cpu: measure.cpuMicroseconds,
            mebibytes: measure.peakKibibytes / 1_024
        )
    }

    /// The medians, and the ratios of exactly-once to at-least-once delivery.
    var lines: [String] {
        let (cheap, exact) = (self.medians(of: .atLeastOnce), self.medians(of: .exactlyOnce))
        guard let cheap, let exact else { return [] }
        return [
            "medians",
            Self.line(
                EngineSettings.Delivery.atLeastOnce.rawValue,
                rate: cheap.rate,
                cpu: cheap.cpu,
                mebibytes: cheap.mebibytes
            ),
            Self.line(
                EngineSettings.Delivery.exactlyOnce.rawValue,
                rate: exact.rate,
                cpu: exact.cpu,
                mebibytes: exact.mebibytes
            ),
            String(
                format: "exactly-once is at %.2f of the records per second, for %.2f of the CPU per record",
                exact.rate / cheap.rate,
                exact.cpu / cheap.cpu
            ),
        ]
    }

    private func medians(
        of delivery: EngineSettings.Delivery
    ) -> (rate: Double, cpu: Double, mebibytes: Double)? {
        guard let measures = self.measures[delivery], !measures.isEmpty else { return nil }
        func median(_ value: (CostRun.Measure) -> Double) -> Double {
            let sorted = measures.map(value).sorted()
            let middle = sorted.count / 2
            return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        }
        return (median(\.perSecond), median(\.cpuMicroseconds), median(\.peakKibibytes) / 1_024)
    }

    private static func line(_ name: String, rate: Double, cpu: Double, mebibytes: Double) -> String {
        let padded = name + String(repeating: " ", count: max(0, 14 - name.count))
        return String(format: "  %@%8.0f records/s%8.1f µs CPU/record%8.0f MiB", padded, rate, cpu, mebibytes)
    }
}
