/// An instant, on both clocks that matter.
package struct Moment: Hashable, Sendable {
    /// Nanoseconds since some fixed point in the past; never goes back. For waiting.
    package var monotonic: Int64
    /// Milliseconds since 1970, as people and other machines count. For stamps and deadlines.
    package var wall: Int64

    package init(monotonic: Int64, wall: Int64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}

extension Moment {
    /// The monotonic time this long from now.
    package func after(_ duration: Duration) -> Int64 {
        self.monotonic.addingClamped(duration.wholeNanoseconds)
    }
}

extension Int64 {
    /// The sum, held to what 64 bits can say: a wait without end stays one, and never becomes a time long past.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = self.addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, held likewise.
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = self.subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}

extension Duration {
    /// In nanoseconds, held to what 64 bits can say (292 years).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }

    /// In milliseconds, rounded down.
    package var wholeMilliseconds: Int64 { self.wholeNanoseconds / 1_000_000 }
}
