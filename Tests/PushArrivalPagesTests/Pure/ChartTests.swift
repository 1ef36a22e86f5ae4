import Testing
import WireFormats
import WireMessages

@testable import PushArrivalPages

struct ChartTests {
    private static func curve(_ buckets: [(Int, Int64)], median: Int64? = nil) -> LagCurve? {
        var statistics = PushStatisticsRecord(provider: "", appBundle: "", messageID: "m")
        statistics.lag.sketch = LagSketch(buckets.map { (index: $0, count: $1) })
        statistics.lag.p50MS = median
        return LagCurve(statistics)
    }

    /// The corners of a path of absolute moves and lines.
    private static func corners(_ path: String) -> [(x: Int, y: Int)] {
        path.split { "ML".contains($0) }.compactMap { part in
            let numbers = part.prefix { $0 != "H" }.split(separator: " ").compactMap { Int($0) }
            return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
        }
    }

    @Test(
        arguments: [
            [(0, 1)], [(0, 1), (LagSketch.lastIndex, 1)], [(LagSketch.lastIndex, .max)],
            [(180, 5), (181, 7), (400, 1)], [(351, 1)],
            (0...LagSketch.lastIndex).map { ($0, Int64(1_000)) },
        ] as [[(Int, Int64)]]
    )
    func theCurveRisesFromNothingToAllWithinItsBox(buckets: [(Int, Int64)]) throws {
        let curve = try #require(Self.curve(buckets, median: 1_000))
        let corners = Self.corners(curve.path)
        #expect(corners.first?.y == LagCurve.bottom && corners.last?.y == LagCurve.top)
        for (one, next) in zip(corners, corners.dropFirst()) { #expect(one.x <= next.x && one.y >= next.y) }
        for corner in corners {
            #expect(LagCurve.left...LagCurve.right ~= corner.x && LagCurve.top...LagCurve.bottom ~= corner.y)
        }
        #expect(curve.times.first?.place == LagCurve.left && curve.times.last?.place == LagCurve.right)
        #expect(curve.times.count >= 2)
        let mark = try #require(curve.marks.first)
        #expect(mark.label == "half within 1 s" && LagCurve.left...LagCurve.right ~= mark.x)
    }

    @Test func theTimeAxisIsLogarithmic() throws {
        // From a hundredth of a second to a hundred: a second is in the middle.
        let curve = try #require(Self.curve([(60, 1), (290, 1)]))
        #expect(curve.times.map(\.label).starts(with: ["10 ms", "0.1 s", "1 s", "10 s"]))
        let steps = zip(curve.times, curve.times.dropFirst()).prefix(3).map { $1.place - $0.place }
        #expect((steps.max() ?? 0) - (steps.min() ?? 0) <= 1)
    }

    @Test func nothingIsDrawnOfNothing() { #expect(Self.curve([]) == nil) }

    @Test func barsShowWhatIsThereAndWhatWasLost() {
        let half = FunnelBar(50, before: 100, longest: 100)
        #expect(half.bar == 500 && half.ground == 1_000)
        #expect(FunnelBar(100, before: 50, longest: 100).ground == 0)
        #expect(FunnelBar(1, before: nil, longest: .max).bar == 4)
        let nothing = FunnelBar(0, before: 0, longest: 0)
        #expect(nothing.bar == 0 && nothing.ground == 0)
        #expect(FunnelBar(.max, before: .max, longest: 1).bar == 1_000)
    }

    @Test func theFunnelTellsSharesOfTheStepBeforeAndOfAccepted() throws {
        let steps = FunnelStep.steps(
            of: try Samples.statistics(Samples.message(accepted: 1_000, arrived: 800))
        )
        #expect(steps.map(\.name) == ["Sent", "Accepted", "Eligible", "Arrived", "Shown", "Opened"])
        #expect(steps.map(\.count) == [2_760, 1_000, 975, 800, 774, 61])
        #expect(steps[3].before == .init(name: "eligible", count: 975))
        #expect(steps[3].shareOfBefore == 800.0 / 975 && steps[3].shareOfAccepted == 0.8)
        #expect(steps[5].shareOfBefore == 61.0 / 774 && steps[0].shareOfBefore == nil)
    }

    @Test func aStepOfWhichNothingIsKnownIsLeftOut() throws {
        var message = Samples.message()
        message.eligible = message.accepted
        message.shown = 0
        let steps = FunnelStep.steps(of: try Samples.statistics(message))
        #expect(steps.map(\.name) == ["Sent", "Accepted", "Arrived", "Opened"])
        #expect(steps.last?.before?.name == "arrived")
    }

    @Test(
        arguments: [
            (nil, "–"), (0, "0.0 %"), (0.000_4, "<0.1 %"), (0.001, "0.1 %"), (0.5, "50.0 %"),
            (0.123_456, "12.3 %"),
            (0.999_4, ">99.9 %"), (1, "100.0 %"), (1.042, "104.2 %"), (12_345.678, "1,234,567.8 %"),
            (1e30, ">1,000,000 %"), (.nan, "–"), (.infinity, "–"), (-0.1, "–"),
        ] as [(Double?, String)]
    )
    func sharesReadWell(rate: Double?, text: String) { #expect(Share.text(rate) == text) }

    @Test func nothingOfNothingIsNoShare() { #expect(Share.text(0, of: 0) == "–") }

    @Test(arguments: [
        (-5, "0 ms"), (0, "0 ms"), (999, "999 ms"), (1_000, "1 s"), (3_290, "3.2 s"), (59_999, "59 s"),
        (60_000, "1 min"), (250_000, "4 min 10 s"), (7_500_000, "2 h 5 min"), (3_149_000, "52 min"),
        (86_400_000, "1 day"),
        (97_200_000, "1 day 3 h"), (259_200_000, "3 days"), (Int64.max, "106751991167 days"),
    ])
    func lagsReadWell(lag: Int64, text: String) { #expect(LagText.text(lag) == text) }
}
