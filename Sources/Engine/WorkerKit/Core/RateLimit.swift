import ServiceKit

/// The number of calls a second that this worker may make: its share of the rate of the whole fleet.
///
/// The limit is a token bucket. Its credit is a whole number of parts of a call. The parts are so small that
/// a rate in billionths of a call a second and a time in nanoseconds multiply without rounding: the bucket is
/// as exact after ten days as after a second.
///
/// The bucket starts with one call, not full, and more partitions make it fill faster and not fuller. So
/// neither a fleet that restarts in a loop nor one that moves its partitions to and fro causes bursts.
package struct RateLimit: Sendable {
    /// The rate of the whole fleet.
    package struct Settings: Hashable, Sendable {
        /// Calls a second of the whole fleet: above 0, and at most a billion.
        package var rate: Double
        /// The number of calls that the whole fleet may make at once after a quiet time; nil for one second's
        /// worth. A worker has its share of them, and one at least.
        package var burst: Double?
        /// How the rate falls while the upstream throttles.
        package var throttling = ThrottleFactor.Settings()

        /// Makes settings. A rate or a burst out of its range is a mistake of the program, which ends it.
        package init(rate: Double, burst: Double? = nil) {
            precondition(rate > 0 && rate <= 1e9, "\(rate) calls a second are no rate")
            precondition(burst.map { $0 >= 0 && $0 <= 1e9 } ?? true, "no burst has \(burst ?? 0) calls")
            self.rate = rate
            self.burst = burst
        }
    }

    /// The answer to the question whether a call may be made now.
    package enum Admission: Hashable, Sendable {
        case yes
        /// No call may be made before this monotonic time; `.max` if the time cannot be told. If no further
        /// call is taken, one may be made from that time on.
        case notBefore(Int64)
    }

    /// The credit of one call: a billion billionths of a call a second, for a billion nanoseconds.
    private static let call = Int128(1_000_000_000) * 1_000_000_000

    private var settings: Settings
    /// This worker's share of the fleet's rate, from 0 to 1.
    package private(set) var share: Double
    private var throttle: ThrottleFactor
    /// The rate in billionths of a call a second, rounded down so that it is never exceeded.
    private var billionths: Int128 = 0
    /// The credit in parts of a call. It is below zero after calls that were made without being admitted.
    private var credit = Self.call
    private var mostCredit = Self.call
    /// The monotonic time up to which the credit is counted.
    private var countedTo: Int64

    /// Makes a bucket with the credit of one call.
    ///
    /// - Parameter share: The partitions of this worker as a share of all partitions, from 0 to 1.
    package init(_ settings: Settings, share: Double, at now: Int64) {
        self.settings = settings
        self.share = Self.clamped(share)
        self.throttle = ThrottleFactor(settings.throttling, at: now)
        self.countedTo = now
        self.rateChanged()
    }

    /// The part of the rate that the upstream's throttling leaves, from the configured minimum to 1.
    package var factor: Double { self.throttle.factor }

    /// The largest number of calls a second that this worker makes now.
    package var effectiveRate: Double { self.settings.rate * self.share * self.factor }

    /// Returns whether a call may be made now. The caller reports a call that it makes with `take`.
    package func admission(at now: Int64) -> Admission {
        // Time takes no credit away below one call, because a full bucket holds one call at least.
        guard self.credit < Self.call else { return .yes }
        var then = self
        then.count(to: now)
        guard then.credit < Self.call else { return .yes }
        return .notBefore(then.nextCall())
    }

    /// Takes the credit of a call that is made. A call that was not admitted delays the calls after it.
    package mutating func take(at now: Int64) {
        self.count(to: now)
        self.credit -= Self.call
    }

    /// Notes that a call came back, and whether the upstream said that there were too many.
    package mutating func note(throttled: Bool, at now: Int64) {
        self.count(to: now)
        self.throttle.note(throttled: throttled)
    }

    /// Notes that this worker has more or fewer partitions than before.
    package mutating func shareChanged(to share: Double, at now: Int64) {
        self.count(to: now)
        self.share = Self.clamped(share)
        self.rateChanged()
    }

    /// Notes that the fleet has another rate. The credit and the throttling so far stay.
    package mutating func rateChanged(to rate: Double, at now: Int64) {
        self.count(to: now)
        self.settings.rate = rate
        self.rateChanged()
    }

    /// Returns the monotonic time at which there is credit for one call. The search goes window by window,
    /// because the rate may change between them.
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
