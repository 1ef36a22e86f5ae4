import ServiceKit
import Testing

@testable import PushArrivalPages

/// The interval of a difference that may be looked at again and again.
struct SequentialIntervalTests {
    private static func interval(
        _ base: (Int64, of: Int64),
        _ other: (Int64, of: Int64),
        errorRate: Double = 0.05
    ) throws -> SequentialInterval? {
        SequentialInterval(
            try #require(ReachedDevices(base.0, of: base.of)),
            try #require(ReachedDevices(other.0, of: other.of)),
            errorRate: errorRate
        )
    }

    /// The values are those of sqrt((v + r) * log((v + r) / (a^2 * r)) / v), Howard et al. (2021), equation 14, with
    /// r = 100, computed apart from this code.
    @Test(arguments: [
        (10.0, 0.05, 8.182574), (100, 0.05, 3.656395), (800, 0.05, 3.035173), (100_000, 0.05, 3.593483),
        (800, 0.025, 3.282051),
    ])
    func theBoundaryHasItsKnownValues(time: Double, errorRate: Double, value: Double) {
        #expect(abs(SequentialInterval.boundary(at: time, errorRate: errorRate) - value) < 1e-5)
    }

    @Test func anIntervalHasItsKnownEnds() throws {
        let equal = try #require(try Self.interval((1_000, of: 10_000), (1_100, of: 10_000)))
        #expect(abs(equal.difference - 0.01) < 1e-9 && abs(equal.halfWidth - 0.0134169) < 1e-6)
        let unequal = try Self.interval((50, of: 1_000), (400, of: 4_000), errorRate: 0.025)
        #expect(abs(try #require(unequal).halfWidth - 0.0284789) < 1e-6)
    }

    @Test func fewDevicesHaveNoInterval() throws {
        #expect(try Self.interval((19, of: 10_000), (500, of: 10_000)) == nil)
        #expect(try Self.interval((20, of: 10_000), (500, of: 10_000)) != nil)
        #expect(try Self.interval((500, of: 519), (500, of: 10_000)) == nil)
        #expect(ReachedDevices(5, of: 4) == nil && ReachedDevices(0, of: 0) == nil)
    }

    @Test func soManyMoreDevicesMakeTheIntervalNarrowEnough() throws {
        let now = try #require(try Self.interval((1_000, of: 10_000), (1_060, of: 10_000)))
        let more = now.moreDevices(for: 0.006)
        // Computed apart from this code.
        #expect(abs(more - 92_327) < 10)
        let each = Int64(more / 2) + 10_001
        let later = try Self.interval((each / 10, of: each), (each * 106 / 1_000, of: each))
        #expect(try #require(later).halfWidth < 0.006_000_1)
        #expect(now.moreDevices(for: 0.5) == 0 && now.moreDevices(for: 0) == .infinity)
    }

    @Test func theLargestCountsBreakNothing() throws {
        let most = Int64.max
        let interval = try #require(try Self.interval((most / 2, of: most), (most - 20, of: most)))
        #expect(interval.halfWidth > 0 && interval.halfWidth < 0.001 && interval.difference < 0.51)
        #expect(try #require(try Self.interval((20, of: most), (20, of: 40))).moreDevices(for: 1e-9).isFinite)
    }

    // MARK: Equal variants, looked at again and again

    /// The two ways in which counts grow.
    enum Growth: CaseIterable, Sendable {
        /// Messages are sent to more and more devices, and each answers at once.
        case moreDevices
        /// All messages are sent at once, and the devices answer one after the other.
        case moreAnswers
    }

    private static let looks = 100

    /// Returns the counts at each look of two variants that have the same effect.
    private static func experiment(
        _ growth: Growth,
        share: Double,
        devices: [Int],
        using random: inout SplitMix64
    ) -> [[(reached: Int64, devices: Int64)]] {
        devices.map { devices in
            var reached = [Int64](repeating: 0, count: self.looks)
            for device in 0..<devices {
                let chance = Double(random.next() >> 11) / Double(1 << 53)
                guard chance < share else { continue }
                let part =
                    growth == .moreDevices ? Double(device) / Double(devices) : chance / share
                reached[Int(part * Double(self.looks))] += 1
            }
            var sum: Int64 = 0
            return reached.enumerated().map { look, new in
                sum += new
                return (
                    sum, Int64(growth == .moreDevices ? devices * (look + 1) / self.looks : devices)
                )
            }
        }
    }

    /// Whether any look finds a difference: by the interval, and by an interval that is made for one look.
    private static func verdicts(_ counts: [[(reached: Int64, devices: Int64)]]) -> (ours: Bool, naive: Bool)
    {
        var (ours, naive) = (false, false)
        for (one, other) in zip(counts[0], counts[1]) {
            guard let base = ReachedDevices(one.reached, of: one.devices),
                let variant = ReachedDevices(other.reached, of: other.devices),
                let interval = SequentialInterval(base, variant, errorRate: Comparison.errorRate)
            else { continue }
            ours = ours || abs(interval.difference) > interval.halfWidth
            naive =
                naive
                || abs(interval.difference) > 1.96 * (base.variance + variant.variance).squareRoot()
        }
        return (ours, naive)
    }

    @Test(
        arguments: Growth.allCases,
        [(0.05, [6_000, 6_000]), (0.5, [1_000, 1_000]), (0.9, [1_500, 1_500]), (0.08, [1_500, 9_000])]
    )
    func equalVariantsAreSeldomToldApart(growth: Growth, kind: (share: Double, devices: [Int])) {
        var random = SplitMix64(seed: 17)
        let runs = 400
        var (wrong, naive) = (0, 0)
        for _ in 0..<runs {
            let counts = Self.experiment(growth, share: kind.share, devices: kind.devices, using: &random)
            let verdicts = Self.verdicts(counts)
            if verdicts.ours { wrong += 1 }
            if verdicts.naive { naive += 1 }
        }
        // At most one in twenty may be told apart.
        #expect(wrong <= runs / 20, "\(wrong) of \(runs)")
        // An interval for one look tells many more apart, so the check above can fail.
        #expect(naive > runs * 3 / 20, "\(naive) of \(runs)")
    }

    @Test func unequalVariantsAreToldApart() {
        var random = SplitMix64(seed: 18)
        var found = 0
        for _ in 0..<50 {
            let base = Self.experiment(.moreDevices, share: 0.05, devices: [12_000], using: &random)
            let better = Self.experiment(.moreDevices, share: 0.07, devices: [12_000], using: &random)
            if Self.verdicts(base + better).ours { found += 1 }
        }
        #expect(found >= 48)
    }
}
