import WireFormats

/// The limits of the age of a device token. Apple publishes none. Measured: Apple refuses a token after about
/// 30 s, with the same words as a forged one.
package struct TokenLimits: Hashable, Sendable {
    /// The age up to which a token counts as fresh. If Apple refuses a fresh token it is called invalid, and
    /// an older one expired. After this time with us, a record is also not tried again.
    package var fresh: Duration
    /// The time after which a record is not tried at all, counted from its arrival with us.
    package var oldest: Duration

    /// Creates limits, by default 30 s and five minutes.
    package init(fresh: Duration = .seconds(30), oldest: Duration = .seconds(300)) {
        self.fresh = fresh
        self.oldest = oldest
    }
}

/// The age of a device token at one moment, by the clocks of the device, the backend and the broker.
struct TokenAge: Hashable, Sendable {
    private let now: Int64
    /// The earliest known time of the token, in milliseconds since 1970. Clocks of devices can be wrong. The
    /// earliest time makes the token older, and an old token is not called invalid, so the doubt is in favour
    /// of the device.
    private let birth: Int64?
    /// The time when the token reached us, by a clock of ours if one tells; in milliseconds since 1970.
    private let arrival: Int64?

    /// Creates an age.
    ///
    /// - Parameters:
    ///   - check: the record.
    ///   - publishedAt: the timestamp of the record, in milliseconds since 1970.
    ///   - now: the proven wall-clock time in milliseconds since 1970 (`Attempt.proven`).
    init(of check: DeviceCheck, publishedAt: Int64?, now: Int64) {
        self.now = now
        self.birth = [check.tokenCreatedAt, check.receivedAt, publishedAt].compactMap(\.self).min()
        // The backend receives a token before it publishes the record, so the earlier time is the arrival.
        self.arrival = [check.receivedAt, publishedAt].compactMap(\.self).min() ?? check.tokenCreatedAt
    }

    /// The age in milliseconds; nil if no time is known.
    var milliseconds: Int64? { self.birth.map { Self.since($0, self.now) } }

    /// The time since the token reached us; zero if that is unknown.
    var waited: Duration { .milliseconds(self.arrival.map { Self.since($0, self.now) } ?? 0) }

    /// Returns whether the token is fresh, so that its refusal says something about the token and not only
    /// about its age. False if the age is unknown.
    func isFresh(by limits: TokenLimits) -> Bool {
        self.milliseconds.map { .milliseconds($0) <= limits.fresh } ?? false
    }

    /// Returns the milliseconds between two times; 0 if `time` is later than `now`.
    private static func since(_ time: Int64, _ now: Int64) -> Int64 {
        let (difference, overflowed) = now.subtractingReportingOverflow(time)
        return overflowed ? 0 : max(0, difference)
    }
}
