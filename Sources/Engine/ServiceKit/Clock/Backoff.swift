/// The wait before the next try: exponential, with full jitter.
///
/// Full jitter is a uniform draw between zero and the exponential bound. It spreads many retries over the
/// whole wait; without it they would come in a bunch at its end.
package struct Backoff: Hashable, Sendable {
    /// The bound of the wait after the first failure. It doubles with every further failure.
    package var base: Duration
    /// The largest bound.
    package var longest: Duration

    /// Makes a backoff whose bound starts at `base` and never exceeds `longest`.
    package init(base: Duration, longest: Duration) {
        self.base = base
        self.longest = longest
    }

    /// Returns the bound after this many failures in a row: `base` after the first, then doubled each time,
    /// at most `longest`.
    package func bound(afterFailures failures: Int) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let (bound, overflow) = self.base.wholeNanoseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? self.longest : min(self.longest, .nanoseconds(bound))
    }

    /// Returns a wait that is drawn uniformly between zero and the bound.
    package func delay(afterFailures failures: Int, using random: inout some RandomNumberGenerator)
        -> Duration
    {
        let bound = self.bound(afterFailures: failures)
        return .nanoseconds(Int64.random(in: 0...max(0, bound.wholeNanoseconds), using: &random))
    }

    /// Returns a wait that is drawn uniformly from the upper half of the bound, for a caller that must not
    /// come back at once.
    package func delayAboveHalf(afterFailures failures: Int, using random: inout some RandomNumberGenerator)
        -> Duration
    {
        let bound = max(0, self.bound(afterFailures: failures).wholeNanoseconds)
        return .nanoseconds(Int64.random(in: bound / 2...bound, using: &random))
    }
}
