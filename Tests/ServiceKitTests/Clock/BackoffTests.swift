import ServiceKit
import Testing

struct BackoffTests {
    private let backoff = Backoff(base: .milliseconds(500), longest: .seconds(60))

    @Test func doublesAndStopsAtItsLongest() {
        let bounds = [0, 1, 2, 3, 7, 8, 1_000_000, .max].map(self.backoff.bound)
        let expected: [Duration] = [
            .milliseconds(500), .milliseconds(500), .seconds(1), .seconds(2), .seconds(32), .seconds(60),
            .seconds(60), .seconds(60),
        ]
        #expect(bounds == expected)
    }

    @Test func settingsWithoutBoundDoNotOverflow() {
        let forever = Backoff(base: .seconds(Int64.max), longest: .seconds(Int64.max))
        var random = SplitMix64(seed: 1)
        for failures in [1, 2, 31, 500] {
            #expect(forever.delay(afterFailures: failures, using: &random) >= .zero)
        }
        #expect(Backoff(base: .zero, longest: .zero).delay(afterFailures: 3, using: &random) == .zero)
    }

    @Test(arguments: 0..<20)
    func spreadsOverTheWholeWait(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var quarters = [0, 0, 0, 0]
        for _ in 0..<4_000 {
            let delay = self.backoff.delay(afterFailures: 4, using: &random)
            #expect(delay >= .zero && delay <= .seconds(4))
            quarters[min(3, Int(delay / .seconds(1)))] += 1
        }
        for quarter in quarters { #expect((800...1_200).contains(quarter), "seed \(seed): \(quarters)") }
    }
}
