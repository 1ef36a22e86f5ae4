/// How many calls a second this worker may make: its share of what the whole fleet may.
///
/// A token bucket. Its credit is a whole number of parts of a call that are so small that a rate in billionths of a
/// call a second and a time in nanoseconds multiply without rounding: it is as exact after ten days as after a second.
///
/// The bucket starts with one call, not full, and more partitions make it fill faster and not fuller. So neither a
/// fleet that restarts in a loop nor one that shifts its partitions about makes bursts of it.
package struct RateLimit: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Calls a second of the whole fleet.
        package var rate: Double
        /// Calls of the whole fleet that may be made at once after a quiet time; nil for one second's worth. A
        /// worker has its share of them, and one at least.
        package var burst: Double?
        package var throttling = ThrottleFactor.Settings()

        package init(rate: Double, burst: Double? = nil) {
            precondition(rate > 0 && rate <= 1e9, "\(rate) calls a second are no rate")
            precondition(burst.map { $0 >= 0 && $0 <= 1e9 } ?? true, "no burst has \(burst ?? 0) calls")
            self.rate = rate
            self.burst = burst
        }
    }

    package enum Admission: Hashable, Sendable {
        case yes
        /// With nothing further taken, yes from this monotonic time on; `.max` if there is no telling.
        case notBefore(Int64)
    }

    /// One call: a billion billionths, a second of a billion nanoseconds long.
    private static let call = Int128(1_000_000_000) * 1_000_000_000

    private let settings: Settings
    /// This worker's part of the fleet's work.
    package private(set) var share: Double
    private var throttle: ThrottleFactor
    /// The rate in billionths of a call a second, rounded down so that it is never exceeded.
    private var billionths: Int128 = 0
    /// In parts of a call. Below nothing if calls were made that nobody had asked for.
    private var credit = Self.call
    private var mostCredit = Self.call
    /// Up to when the credit is counted.
    private var countedTo: Int64

    /// - Parameter share: This worker's partitions of all partitions, from 0 to 1.
    package init(_ settings: Settings, share: Double, at now: Int64) {
        self.settings = settings
        self.share = Self.clamped(share)
        self.throttle = ThrottleFactor(settings.throttling, at: now)
        self.countedTo = now
        self.rateChanged()
    }

    /// From the configured minimum to 1: what the upstream's throttling has left of the rate.
    package var factor: Double { self.throttle.factor }

    /// Calls a second that this worker makes at most.
    package var effectiveRate: Double { self.settings.rate * self.share * self.factor }

    /// Whether a call may be made now.
    package func admission(at now: Int64) -> Admission {
        // What is there stays there: the least that a full bucket can hold is one call.
        guard self.credit < Self.call else { return .yes }
        var then = self
        then.count(to: now)
        guard then.credit < Self.call else { return .yes }
        return .notBefore(then.nextCall())
    }

    /// A call is made. One that was not admitted is paid for by those after it.
    package mutating func take(at now: Int64) {
        self.count(to: now)
        self.credit -= Self.call
    }

    /// A call came back, and the upstream did or did not say that there were too many.
    package mutating func note(throttled: Bool, at now: Int64) {
        self.count(to: now)
        self.throttle.note(throttled: throttled)
    }

    /// This worker has more or fewer partitions than before.
    package mutating func shareChanged(to share: Double, at now: Int64) {
        self.count(to: now)
        self.share = Self.clamped(share)
        self.rateChanged()
    }

    /// When there will be enough for one call. Goes there window by window, for the rate may change between them.
    private mutating func nextCall() -> Int64 {
        while true {
            let rate = self.billionths
            let missing = Self.call - self.credit
            let due =
                rate > 0
                ? self.countedTo.addingClamped(Int64(clamping: (missing + rate - 1) / rate)) : .max
            guard !self.throttle.isSettled, self.throttle.windowEnd < due else { return due }
            self.count(to: self.throttle.windowEnd)
        }
    }

    /// Fills the bucket up to this time.
    private mutating func count(to now: Int64) {
        while self.countedTo < now {
            let until = self.throttle.isSettled ? now : min(now, self.throttle.windowEnd)
            self.credit += self.billionths * Int128(until - self.countedTo)
            self.credit = min(self.credit, self.mostCredit)
            self.countedTo = until
            let before = self.factor
            self.throttle.advance(to: until)
            if self.factor != before { self.rateChanged() }
        }
    }

    private mutating func rateChanged() {
        self.billionths = Int128(self.effectiveRate * 1e9)
        let burst = self.settings.burst.map { $0 * self.share * self.factor } ?? self.effectiveRate
        self.mostCredit = max(Self.call, Int128(burst * 1e9) * 1_000_000_000)
        self.credit = min(self.credit, self.mostCredit)
    }

    private static func clamped(_ share: Double) -> Double { share > 0 ? min(1, share) : 0 }
}
