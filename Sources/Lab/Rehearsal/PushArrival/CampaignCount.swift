import Harness
import WireMessages

/// The numbers that a message's statistics must have. They are counted while the events are made,
/// independently of the worker.
struct CampaignCount: Hashable {
    /// Whether the time in which its events count is over, so that its statistics are final.
    var isOver = true
    var accepted = 0
    var rejected: [String: Int] = [:]
    var eligible = 0
    var arrived = 0
    var shown = 0
    var opened = 0
    var dismissed = 0
    var duplicates = 0
    var late = 0
    var ineligible = 0
    var withoutDevice = 0
    var adjusted = 0
    /// The lags of all arrivals in milliseconds.
    var lags: [Int64] = []

    /// The upper bounds of the histogram's buckets in milliseconds.
    private static let edges: [Int64] = [60_000, 300_000, 3_600_000, 21_600_000, 86_400_000]

    private var rejections: Int { self.rejected.values.reduce(0, +) }

    private var histogram: [Int64] {
        var counts = [Int64](repeating: 0, count: Self.edges.count + 1)
        for lag in self.lags { counts[Self.edges.firstIndex { lag <= $0 } ?? Self.edges.count] += 1 }
        return counts
    }

    /// The lag that this many tenths of the arrivals did not exceed; nil without arrivals.
    private func lag(ofTenths tenths: Int) -> Int64? {
        let rank = (self.lags.count * tenths + 9) / 10
        return self.lags.sorted().dropFirst(max(0, rank - 1)).first
    }

    /// The differences between these numbers and published statistics, as ends of sentences.
    func objections(to told: ToldStatistics.Statistics?) -> [String] {
        guard let told else { return ["were not told"] }
        var objections =
            told.complete == self.isOver ? [] : ["are \(told.complete ? "complete already" : "not complete")"]
        for (name, expected, count) in [
            ("sent", self.accepted + self.rejections, told.sent), ("accepted", self.accepted, told.accepted),
            ("rejected", self.rejections, told.rejected), ("eligible", self.eligible, told.eligible),
            ("arrived", self.arrived, told.arrived), ("shown", self.shown, told.shown),
            ("opened", self.opened, told.opened), ("dismissed", self.dismissed, told.dismissed),
            ("duplicates", self.duplicates, told.duplicates), ("late", self.late, told.lateDropped),
            ("ineligible", self.ineligible, told.ineligible),
            ("without a device", self.withoutDevice, told.unknownDevice),
            ("adjusted clocks", self.adjusted, told.skewAdjusted),
        ] where Int64(expected) != count {
            objections.append("count \(count) \(name) instead of \(expected)")
        }
        if told.rejectedReasons != self.rejected.mapValues({ Int64($0) }) {
            objections.append("have other reasons of rejections: \(told.rejectedReasons)")
        }
        return objections + self.objectionsToRates(of: told) + self.objectionsToLags(of: told)
    }

    private func objectionsToRates(of told: ToldStatistics.Statistics) -> [String] {
        func rate(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
        return [
            ("arrival", rate(self.arrived, of: self.accepted), told.arrivalRate),
            ("arrival of eligible", rate(self.arrived, of: self.eligible), told.eligibleArrivalRate),
            ("shown", rate(self.shown, of: self.arrived), told.shownRate),
            ("open", rate(self.opened, of: self.arrived), told.openRate),
            ("click-through", rate(self.opened, of: self.accepted), told.ctr),
        ].filter { abs($0.1 - $0.2) > 1e-9 }.map { "have the \($0.0) rate \($0.2) instead of \($0.1)" }
    }

    /// Compares the lags. The worker guarantees percentiles with an error of at most 2 %.
    private func objectionsToLags(of told: ToldStatistics.Statistics) -> [String] {
        var objections =
            told.lagHist == self.histogram ? [] : ["have the lags \(told.lagHist), not \(self.histogram)"]
        for (tenths, percentile) in [(5, told.lagP50Ms), (9, told.lagP90Ms)] {
            let exact = self.lag(ofTenths: tenths) ?? 0
            if abs(percentile - exact) > max(1, exact / 50) {
                objections.append("have a p\(tenths * 10) of \(percentile) ms, and \(exact) ms is exact")
            }
        }
        return objections
    }
}
