import Glibc

extension Moment {
    /// The present time on this machine's clocks.
    package static var now: Moment {
        Moment(
            monotonic: Self.nanoseconds(of: CLOCK_MONOTONIC),
            wall: Self.nanoseconds(of: CLOCK_REALTIME) / 1_000_000
        )
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
