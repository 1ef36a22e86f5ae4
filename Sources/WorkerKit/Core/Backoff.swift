/// How long to wait before trying again: exponential, with full jitter.
///
/// Full jitter (a uniform draw between nothing and the exponential bound) spreads a crowd of retries over the
/// whole wait instead of bunching it at its end.
package struct Backoff: Hashable, Sendable {
    package var base: Duration
    package var longest: Duration

    package init(base: Duration, longest: Duration) {
        self.base = base
        self.longest = longest
    }

    /// The bound after so many failures: doubles from `base` and stays at `longest`.
    package func bound(afterFailures failures: Int) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let (bound, overflow) = self.base.wholeNanoseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? self.longest : min(self.longest, .nanoseconds(bound))
    }

    package func delay(afterFailures failures: Int, using random: inout some RandomNumberGenerator)
        -> Duration
    {
        let bound = self.bound(afterFailures: failures)
        return .nanoseconds(Int64.random(in: 0...max(0, bound.wholeNanoseconds), using: &random))
    }

    /// With jitter in the upper half only, for those that must not come back at once.
    package func delayAboveHalf(afterFailures failures: Int, using random: inout some RandomNumberGenerator)
        -> Duration
    {
        let bound = max(0, self.bound(afterFailures: failures).wholeNanoseconds)
        return .nanoseconds(Int64.random(in: bound / 2...bound, using: &random))
    }
}
