import Harness
import WireMessages

/// The statistics of a message for a person: from the sent to the opened pushes.
struct Funnel {
    private static let longestBar = 40

    private let statistics: ToldStatistics.Statistics

    init(_ statistics: ToldStatistics.Statistics) { self.statistics = statistics }

    /// The lines of the table.
    ///
    /// - Parameter width: the number of columns. In narrow tables the bars are shortened first.
    func lines(width: Int) -> [String] {
        let told = self.statistics
        let bar = max(0, min(Self.longestBar, width - 58))
        func step(_ name: String, _ count: Int64, rates: String) -> String {
            let length = told.sent > 0 ? Int(count * Int64(bar) / told.sent) : 0
            let drawn = String(repeating: "█", count: min(bar, length))
            return "  \(Self.padded(name, 9))\(Self.number(count, 6))  \(Self.padded(drawn, bar)) \(rates)"
        }
        func rate(_ rate: Double, _ isThere: Bool) -> String { isThere ? Self.percent(rate) : "–" }
        return [
            "The funnel of \(told.messageID), \(told.complete ? "final" : "so far"), version \(told.version)",
            step("sent", told.sent, rates: ""),
            step("accepted", told.accepted, rates: "\(Self.share(told.accepted, of: told.sent)) of sent"),
            step(
                "arrived",
                told.arrived,
                rates: "\(rate(told.arrivalRate, told.hasArrivalRate)) of accepted, "
                    + "\(rate(told.eligibleArrivalRate, told.hasEligibleArrivalRate)) of eligible"
            ),
            step("shown", told.shown, rates: "\(rate(told.shownRate, told.hasShownRate)) of arrived"),
            step(
                "opened",
                told.opened,
                rates:
                    "\(rate(told.openRate, told.hasOpenRate)) of arrived, \(rate(told.ctr, told.hasCtr)) of accepted"
            ),
        ] + self.lags(bar) + self.rest
    }

    /// The lines about the lags of arrivals.
    private func lags(_ bar: Int) -> [String] {
        let told = self.statistics
        var lines: [String] = []
        if told.hasLagP50Ms, told.hasLagP90Ms {
            let (half, most) = (Self.time(told.lagP50Ms), Self.time(told.lagP90Ms))
            lines.append("  half of the arrivals within \(half) (p50), nine in ten within \(most) (p90)")
        }
        let names = told.lagEdgesMs.map { "≤ \(Self.time($0))" } + ["more"]
        let most = max(1, told.lagHist.max() ?? 1)
        for (name, count) in zip(names, told.lagHist) {
            let drawn = String(repeating: "▪", count: Int(count * Int64(bar) / most))
            lines.append("  \(Self.padded(name, 9))\(Self.number(count, 6))  \(drawn)")
        }
        return lines
    }

    /// The lines about events outside of the funnel.
    private var rest: [String] {
        let told = self.statistics
        let reasons = told.rejectedReasons.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return [
            "  rejected \(told.rejected): \(reasons.isEmpty ? "–" : reasons.joined(separator: ", "))",
            "  not in it: \(told.duplicates) duplicates, \(told.lateDropped) late, "
                + "\(told.ineligible) of pushes that no extension runs for, \(told.unknownDevice) without a device",
            "  \(told.skewAdjusted) arrivals by devices whose clocks could not be used",
        ]
    }

    // MARK: - Numbers

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func number(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func share(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? Self.percent(Double(part) / Double(whole)) : "–"
    }

    static func percent(_ rate: Double) -> String {
        guard rate.isFinite, abs(rate) < 1e6 else { return "–" }
        let thousandths = Int((rate * 1_000).rounded())
        return "\(thousandths / 10).\(thousandths % 10) %"
    }

    static func time(_ milliseconds: Int64) -> String {
        func tenths(_ unit: Int64, _ name: String) -> String {
            let tenths = milliseconds * 10 / unit
            return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        switch milliseconds {
        case ..<1_000: return "\(milliseconds) ms"
        case ..<60_000: return tenths(1_000, "s")
        case ..<3_600_000: return tenths(60_000, "min")
        default: return tenths(3_600_000, "h")
        }
    }
}
