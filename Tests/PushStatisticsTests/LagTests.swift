import ServiceKit
import Testing
import WireFormats

@testable import PushStatistics

@Suite struct LagTests {
    @Test(arguments: [5, 6, 7, 8] as [UInt64]) func percentilesAreExactToTwoPercent(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var lags: [Int64] = []
        var sketch = LagSketch()
        for _ in 0..<20_000 {
            // Evenly over the orders of magnitude.
            let lag = Int64(random.next() % (1 << (random.next() % 31 + 1)))
            lags.append(lag)
            sketch.add(lag: lag)
        }
        lags.sort()
        for share in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let exact = lags[Int((Double(lags.count) * share).rounded(.up)) - 1]
            let told = try #require(sketch.lag(ofShare: share))
            #expect(
                abs(Double(told - exact)) <= max(1, Double(exact) * LagSketch.accuracy),
                "\(share): \(told) for \(exact)"
            )
        }
    }

    @Test func addingUpIsTheSameAsCountingTogether() {
        var (all, odd, even) = (LagSketch(), LagSketch(), LagSketch())
        for lag in stride(from: Int64(0), to: 3_000_000, by: 977) {
            all.add(lag: lag)
            if lag % 2 == 0 { even.add(lag: lag) } else { odd.add(lag: lag) }
        }
        odd += even
        #expect(odd == all)
        #expect(LagSketch(all.buckets) == all)
    }

    @Test func aBucketHoldsWhatIsUpToFourPercentAboveTheOneBefore() {
        let sketch = LagSketch([(index: 100, count: 3), (index: 0, count: 2), (index: 200, count: 5)])
        #expect(sketch.buckets.map(\.index) == [0, 100, 200] && sketch.total == 10)
        #expect(sketch.count(within: 1) == 2 && sketch.count(within: 48) == 2)
        // 1.04^100 is 50.5 ms, 1.04^200 is 2,551 ms.
        #expect(LagSketch.limit(of: 100) == 50 && LagSketch.limit(of: 200) == 2_550)
        #expect(sketch.count(within: 51) == 5 && sketch.count(within: 2_400) == 5)
        #expect(sketch.count(within: 2_600) == 10 && sketch.count(within: .max) == 10)
        #expect(LagSketch.accuracy < 0.02 && LagSketch.accuracy > 0.019)
    }

    @Test func anEmptySketchKnowsNoLag() {
        #expect(LagSketch().lag(ofShare: 0.5) == nil)
        #expect(
            LagSketch([(index: -1, count: 3), (index: 1 << 20, count: 3), (index: 4, count: -2)]).total == 0
        )
    }

    @Test func aLagOnAnEdgeBelongsBelowIt() {
        var histogram = LagHistogram(edges: LagHistogram.usualEdges)
        for lag: Int64 in [0, 60_000, 60_001, 300_000, 86_400_000, 86_400_001, .max] {
            histogram.add(lag: lag)
        }
        #expect(histogram.counts == [2, 2, 0, 0, 1, 2])
    }

    @Test func otherEdgesAreNotAddedUp() {
        var histogram = LagHistogram(edges: [1, 2])
        let isAdded = histogram.add(LagHistogram(edges: [1, 3]))
        #expect(!isAdded && histogram.counts == [0, 0, 0])
        #expect(LagHistogram(edges: [1], counts: [1]) == nil)
    }
}
