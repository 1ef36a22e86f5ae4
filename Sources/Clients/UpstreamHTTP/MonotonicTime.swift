internal import Glibc

/// An instant on the monotonic clock in nanoseconds. It fits into one register, because deadlines are set
/// with every request.
struct MonotonicTime: Comparable {
    static let zero = MonotonicTime(nanoseconds: 0)
    static let never = MonotonicTime(nanoseconds: .max)

    private var nanoseconds: UInt64

    static func now() -> MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns a later instant. `duration` must not be negative, and must be far from overflow.
    func advanced(by duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: self.nanoseconds &+ UInt64(duration.millisecondsRoundedUp) &* 1_000_000)
    }

    /// Returns the time from `now` until this instant in milliseconds, as poll(2) counts it: rounded up, 0 if
    /// the instant has passed, -1 if it never comes.
    func milliseconds(from now: MonotonicTime) -> Int32 {
        guard self != .never else { return -1 }
        guard self > now else { return 0 }
        return Int32(clamping: (self.nanoseconds - now.nanoseconds - 1) / 1_000_000 + 1)
    }
}

extension Duration {
    /// The milliseconds of this duration, rounded up to a whole number.
    var millisecondsRoundedUp: Int {
        let (seconds, attoseconds) = self.components
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
