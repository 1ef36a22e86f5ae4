/// An instant, on the monotonic clock and on the wall clock.
package struct Moment: Hashable, Sendable {
    /// Nanoseconds since some fixed point in the past. This clock never goes back; it is for waiting.
    package var monotonic: Int64
    /// Milliseconds since 1970, as people and other machines count. This clock is for timestamps and
    /// deadlines.
    package var wall: Int64

    package init(monotonic: Int64, wall: Int64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}

extension Moment {
    /// Returns the monotonic time this long after the instant, in nanoseconds.
    package func after(_ duration: Duration) -> Int64 {
        self.monotonic.addingClamped(duration.wholeNanoseconds)
    }
}

extension Int64 {
    /// Returns the sum, held to the range of 64 bits: a wait without end stays one, and never becomes a time
    /// long past.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = self.addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, held to the range of 64 bits.
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = self.subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}

extension Duration {
    /// The duration in nanoseconds, held to the range of 64 bits (292 years).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 { self.wholeNanoseconds / 1_000_000 }
}
