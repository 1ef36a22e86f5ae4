import Glibc

/// The difference of two shares with a confidence interval that may be looked at as often as one likes.
///
/// A dashboard is looked at again and again, and a reader stops as soon as a difference shows. An interval of
/// 95 % for one look is then wrong in a third of the tests of two equal variants, or more. The interval here is
/// one of a confidence sequence: with the chosen probability, *all* intervals that are ever shown contain the
/// true difference. It needs no plan of looks, and it depends only on the present counts; a rule that spends
/// an error rate look by look would have to remember each look of each reader.
///
/// The boundary is the two-sided normal mixture of Robbins (1970), as in Howard, Ramdas, McAuliffe and Sekhon,
/// "Time-uniform, nonparametric, nonasymptotic confidence sequences", Annals of Statistics 49(2), 2021, equation
/// 14. A normal approximation of shares in its place follows Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
/// "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52(6), 2024. It
/// needs counts that are not small, see `fewest`.
///
/// The boundary's time has to grow with each look. Here it is the number of devices that were reached, divided
/// by the share of those that were not. It grows in both ways in which counts do: more devices are sent to, or
/// more of the same devices answer. With equal variants, the standardised difference is a Brownian motion over
/// its root in either case. (In the second case the difference over the share of devices that have answered is
/// a Brownian bridge, and the time is that of Doob's transformation of it.)
struct SequentialInterval: Hashable, Sendable {
    /// The share of the second variant minus that of the first.
    let difference: Double
    /// The distance from the difference to each end of the interval.
    let halfWidth: Double
    /// The standard error of the difference.
    private let error: Double
    /// The boundary's time.
    private let time: Double
    private let errorRate: Double
    /// The devices of both variants.
    private let devices: Double

    /// Each variant needs this many devices that were reached, and as many that were not. With fewer, a share
    /// is too far from a normal distribution.
    static let fewest: Int64 = 20

    /// The parameter of the mixture, in units of time: the interval is narrowest around eight times this.
    private static let mixture = 100.0

    /// Computes the interval; nil if one of the variants has too few devices.
    ///
    /// - Parameter errorRate: the probability, above 0 and below 1, with which any of the intervals may miss
    ///   the true difference.
    init?(_ base: ReachedDevices, _ other: ReachedDevices, errorRate: Double) {
        guard [base, other].allSatisfy({ min($0.reached, $0.devices - $0.reached) >= Self.fewest }) else {
            return nil
        }
        let (one, two) = (Double(base.devices), Double(other.devices))
        let reached = Double(base.reached) + Double(other.reached)
        let devices = one + two
        self.difference = other.share - base.share
        self.error = (base.variance + other.variance).squareRoot()
        // Two variants of unequal size tell as much as two smaller ones of equal size.
        self.time = 4 * (one / devices) * (two / devices) * reached / (1 - reached / devices)
        self.errorRate = errorRate
        self.devices = devices
        self.halfWidth = self.error * Self.boundary(at: self.time, errorRate: errorRate)
    }

    /// The lower end of the interval.
    var low: Double { self.difference - self.halfWidth }
    /// The upper end of the interval.
    var high: Double { self.difference + self.halfWidth }

    /// Returns how many standard errors a difference of nothing exceeds at no time, except with the
    /// probability `errorRate`.
    static func boundary(at time: Double, errorRate: Double) -> Double {
        ((1 + self.mixture / time) * (2 * log(1 / errorRate) + log1p(time / self.mixture))).squareRoot()
    }

    /// Returns how many more devices the two variants need together for an interval of this half-width, if
    /// the shares stay as they are; 0 if the interval is as narrow already.
    ///
    /// - Parameter halfWidth: above 0.
    func moreDevices(for halfWidth: Double) -> Double {
        func isNarrow(_ factor: Double) -> Bool {
            self.error / factor.squareRoot()
                * Self.boundary(at: self.time * factor, errorRate: self.errorRate) <= halfWidth
        }
        guard halfWidth > 0 else { return .infinity }
        if isNarrow(1) { return 0 }
        var (low, high) = (1.0, 2.0)
        while !isNarrow(high) { (low, high) = (high, high * 2) }
        // Twenty halvings are exact to a millionth.
        for _ in 0..<20 {
            let middle = (low + high) / 2
            if isNarrow(middle) { high = middle } else { low = middle }
        }
        return self.devices * (high - 1)
    }
}
