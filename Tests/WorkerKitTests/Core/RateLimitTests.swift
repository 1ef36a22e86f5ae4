import ServiceKit
import Testing
import WorkerKit

private let second: Int64 = 1_000_000_000

struct RateLimitTests {
    /// A rate that holds from some time on.
    private struct Course {
        /// Where each part begins, and its calls a second.
        var parts: [(at: Int64, rate: Double)]
        var mostBurst: Double

        /// How many calls the rate alone would allow from one time to another.
        func calls(from: Int64, to: Int64) -> Double {
            var sum = 0.0
            for (index, part) in self.parts.enumerated() {
                let end = index + 1 < self.parts.count ? self.parts[index + 1].at : .max
                let overlap = min(to, end) - max(from, part.at)
                if overlap > 0 { sum += Double(overlap) / 1e9 * part.rate }
            }
            return sum
        }
    }

    /// Makes every call as soon as it may be made, until some time.
    private static func hungry(_ limit: inout RateLimit, from start: Int64, to end: Int64) -> [Int64] {
        var calls: [Int64] = []
        var now = start
        while now < end {
            switch limit.admission(at: now) {
            case .yes:
                limit.take(at: now)
                calls.append(now)
            case .notBefore(let next): now = next
            }
        }
        return calls
    }

    /// Looks at every interval that begins with a call and ends with one, for those are the worst: of each call, how
    /// far it is ahead of the rate, against the one before it that was furthest behind.
    private static func expectWithin(_ course: Course, _ calls: [Int64], _ comment: Comment) {
        var allowed = 0.0
        var before = calls.first ?? 0
        var leastAhead = 0.0
        var worst = 0.0
        for (index, call) in calls.enumerated() {
            allowed += course.calls(from: before, to: call)
            before = call
            leastAhead = min(leastAhead, Double(index) - allowed)
            worst = max(worst, Double(index + 1) - allowed - leastAhead)
        }
        #expect(worst <= course.mostBurst + 1e-6, comment)
    }

    @Test(arguments: 0..<60)
    func neverAdmitsMoreThanBurstAndRateAndFeedsTheHungry(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let rate = [0.7, 3, 10, 333.3, 5_000][Int.random(in: 0..<5, using: &random)]
        let burst: Double? =
            Bool.random(using: &random) ? nil : .random(in: 0...2 * rate, using: &random)
        let share = Double.random(in: 0.05...1, using: &random)
        var now = Int64.random(in: 0...1_000_000 * second, using: &random)
        var limit = RateLimit(RateLimit.Settings(rate: rate, burst: burst), share: share, at: now)
        let course = Course(
            parts: [(now, rate * share)],
            mostBurst: max(1, (burst ?? rate) * share)
        )
        var calls: [Int64] = []
        let long = Int64(20 / (rate * share) * 1e9)
        for _ in 0..<12 {
            // Quiet times, hungry times, and callers that look in now and then.
            switch Int.random(in: 0..<3, using: &random) {
            case 0: now += .random(in: 0...long, using: &random)
            case 1:
                let end = now + .random(in: 0...2 * long, using: &random)
                let made = Self.hungry(&limit, from: now, to: end)
                let deserved = course.calls(from: now, to: end)
                #expect(Double(made.count) >= 0.95 * deserved - 1, "seed \(seed)")
                calls += made
                now = end
            default:
                for _ in 0..<40 {
                    now += .random(in: 0...long / 20, using: &random)
                    guard limit.admission(at: now) == .yes else { continue }
                    limit.take(at: now)
                    calls.append(now)
                }
            }
        }
        Self.expectWithin(course, calls, "seed \(seed)")
    }

    @Test(arguments: 0..<60)
    func keepsTheBoundWhileItsShareChanges(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rate = Double([2, 50, 300][Int.random(in: 0..<3, using: &random)])
        var now: Int64 = 0
        var course = Course(parts: [], mostBurst: 1)
        var limit = RateLimit(RateLimit.Settings(rate: rate), share: 0, at: now)
        var calls: [Int64] = []
        for _ in 0..<30 {
            let share =
                Int.random(in: 0..<5, using: &random) == 0 ? 0 : Double.random(in: 0...1, using: &random)
            limit.shareChanged(to: share, at: now)
            course.parts.append((now, rate * share))
            course.mostBurst = max(course.mostBurst, rate * share)
            let end = now + .random(in: 0...2 * second, using: &random)
            if Bool.random(using: &random) { calls += Self.hungry(&limit, from: now, to: end) }
            now = end
        }
        Self.expectWithin(course, calls, "seed \(seed)")
    }

    @Test func aGreaterShareGivesNoBurst() {
        var limit = RateLimit(RateLimit.Settings(rate: 1_000), share: 0.001, at: 0)
        _ = Self.hungry(&limit, from: 0, to: 10 * second)
        limit.shareChanged(to: 1, at: 10 * second)
        let calls = Self.hungry(&limit, from: 10 * second, to: 10 * second + second / 100)
        #expect(calls.count <= 11)
    }

    @Test func aSmallerShareTakesTheBurstAway() {
        var limit = RateLimit(RateLimit.Settings(rate: 1_000), share: 1, at: 0)
        #expect(limit.admission(at: 10 * second) == .yes)
        limit.shareChanged(to: 0.01, at: 10 * second)
        let calls = Self.hungry(&limit, from: 10 * second, to: 10 * second + second / 10)
        #expect((10...11).contains(calls.count))
    }

    @Test func startsWithOneCallSoThatRestartsAreNoBursts() {
        var limit = RateLimit(RateLimit.Settings(rate: 100), share: 1, at: 77)
        let calls = Self.hungry(&limit, from: 77, to: 77 + second)
        #expect(calls.first == 77)
        #expect((100...101).contains(calls.count))
    }

    @Test func withoutAShareNothingIsAdmittedUntilThereIsOne() {
        var limit = RateLimit(RateLimit.Settings(rate: 100), share: 0, at: 0)
        limit.take(at: 0)
        #expect(limit.admission(at: second) == .notBefore(.max))
        limit.shareChanged(to: 1, at: second)
        #expect(limit.admission(at: second) == .notBefore(second + 10_000_000))
        limit.shareChanged(to: .nan, at: second)
        #expect(limit.share == 0)
        limit.shareChanged(to: 7, at: second)
        #expect(limit.share == 1)
    }

    @Test func callsThatNobodyAskedForArePaidForByTheNext() {
        var limit = RateLimit(RateLimit.Settings(rate: 10, burst: 1), share: 1, at: 0)
        for _ in 0..<5 { limit.take(at: 0) }
        #expect(limit.admission(at: 0) == .notBefore(500_000_000))
    }

    @Test(arguments: [0.3, 0.7, 1.0 / 7])
    func doesNotDriftInTenDays(rate: Double) {
        var limit = RateLimit(RateLimit.Settings(rate: rate, burst: 30), share: 1.0 / 3, at: 0)
        let days: Int64 = 10 * 24 * 3_600
        // Looked at more often than there are calls, at odd times.
        let step = Int64(0.7 / (rate / 3) * 1e9) | 1
        var taken = 0
        for now in stride(from: 0, to: days * second, by: Int64.Stride(step)) {
            guard limit.admission(at: now) == .yes else { continue }
            limit.take(at: now)
            taken += 1
        }
        let exact = Double(days) * rate / 3
        #expect(abs(Double(taken) - exact) <= 3)
    }

    @Test func theTimeItNamesIsTheFirstAtWhichItAdmits() {
        var random = SplitMix64(seed: 5)
        var limit = RateLimit(RateLimit.Settings(rate: 13.7), share: 0.77, at: 0)
        var now: Int64 = 0
        for call in 0..<500 {
            if case .notBefore(let next) = limit.admission(at: now) {
                #expect(limit.admission(at: next) == .yes)
                #expect(limit.admission(at: next - 1) == .notBefore(next))
                now = next
            }
            limit.take(at: now)
            // At times the upstream throttles: the factor then changes while somebody waits.
            limit.note(throttled: call % 100 < 40, at: now)
            now += .random(in: 0...second / 5, using: &random)
        }
        #expect(limit.factor < 1)
    }
}

struct ThrottlingTests {
    private var limit = RateLimit(RateLimit.Settings(rate: 100), share: 1, at: 0)

    /// Calls that came back in the middle of a second.
    private mutating func note(_ throttled: Int, of calls: Int, inSecond number: Int64) {
        for call in 0..<calls {
            self.limit.note(throttled: call < throttled, at: number * second + second / 2)
        }
    }

    private mutating func factor(afterSecond number: Int64) -> Double {
        // A share that stays the same changes nothing, and brings the limit up to that time.
        self.limit.shareChanged(to: 1, at: (number + 1) * second)
        return (self.limit.factor * 1e6).rounded() / 1e6
    }

    @Test mutating func fallsWhenMoreThanATenthIsThrottled() {
        self.note(1, of: 10, inSecond: 0)
        #expect(self.factor(afterSecond: 0) == 1)
        self.note(2, of: 19, inSecond: 1)
        #expect(self.limit.factor == 1)
        #expect(self.factor(afterSecond: 1) == 0.7)
        #expect(abs(self.limit.effectiveRate - 70) < 1e-9)
    }

    @Test mutating func waitsOneWindowAfterEachFall() {
        var factors: [Double] = []
        for number: Int64 in 0..<6 {
            self.note(50, of: 50, inSecond: number)
            factors.append(self.factor(afterSecond: number))
        }
        #expect(factors == [0.7, 0.7, 0.49, 0.49, 0.343, 0.343])
    }

    @Test mutating func neverFallsBelowItsLeast() {
        for number: Int64 in 0..<100 { self.note(50, of: 50, inSecond: number) }
        #expect(self.factor(afterSecond: 100) == 0.05)
    }

    @Test mutating func risesAfterTwoQuietWindowsInARow() {
        self.note(50, of: 50, inSecond: 0)
        var factors: [Double] = []
        for number: Int64 in 1..<8 {
            // The third is not quiet, so the second counts for nothing.
            self.note(number == 3 ? 9 : 0, of: 50, inSecond: number)
            factors.append(self.factor(afterSecond: number))
        }
        #expect(factors == [0.7, 0.7, 0.49, 0.49, 0.49, 0.539, 0.539])
    }

    @Test mutating func recoversWithoutCallsAndNotBeyondTheWhole() {
        for number: Int64 in 0..<100 { self.note(50, of: 50, inSecond: number) }
        #expect(self.factor(afterSecond: 100) == 0.05)
        // 0.05 needs 32 rises to be 1 again, of two seconds each.
        #expect(self.factor(afterSecond: 161) < 1)
        #expect(self.factor(afterSecond: 170) == 1)
        #expect(self.factor(afterSecond: 1_000_000_000) == 1)
    }

    @Test mutating func theFallTakesTheBurstWithIt() {
        self.note(50, of: 50, inSecond: 0)
        #expect(self.factor(afterSecond: 0) == 0.7)
        var calls = 0
        // One second later the bucket is full, and the factor has not risen again.
        while self.limit.admission(at: 2 * second) == .yes {
            self.limit.take(at: 2 * second)
            calls += 1
        }
        #expect(calls == 70)
    }
}
