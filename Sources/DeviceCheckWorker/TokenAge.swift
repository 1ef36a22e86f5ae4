import WireFormats

/// How old a device token may be. Apple publishes nothing: a token was measured to be refused after about 30 s, with
/// the same words as a forged one.
package struct TokenLimits: Hashable, Sendable {
    /// A token that Apple refuses within this age is called invalid, an older one expired. Nor is Apple asked again for
    /// a record that has been with us for longer.
    package var fresh: Duration
    /// A record that has been with us for longer is not asked for at all.
    package var oldest: Duration

    package init(fresh: Duration = .seconds(30), oldest: Duration = .seconds(300)) {
        self.fresh = fresh
        self.oldest = oldest
    }
}

/// How old a device token is, in milliseconds, by the clocks of everybody who has had it in hand.
struct TokenAge: Hashable, Sendable {
    private let now: Int64
    /// The earliest time that anybody names. Clocks of devices are wrong now and then: the doubt is the device's benefit.
    private let birth: Int64?
    /// When it came to us, by a clock of ours if there is one.
    private let arrival: Int64?

    init(of check: DeviceCheck, publishedAt: Int64?, now: Int64) {
        self.now = now
        self.birth = [check.tokenCreatedAt, check.receivedAt, publishedAt].compactMap(\.self).min()
        // A token is received before its record is published.
        self.arrival = [check.receivedAt, publishedAt].compactMap(\.self).min() ?? check.tokenCreatedAt
    }

    /// Nil if nobody knows.
    var milliseconds: Int64? { self.birth.map { Self.since($0, self.now) } }

    /// How long it has been with us; none if nobody knows.
    var waited: Duration { .milliseconds(self.arrival.map { Self.since($0, self.now) } ?? 0) }

    /// Whether a refusal says something about the token, and not only about its age.
    func isFresh(by limits: TokenLimits) -> Bool {
        self.milliseconds.map { .milliseconds($0) <= limits.fresh } ?? false
    }

    private static func since(_ time: Int64, _ now: Int64) -> Int64 {
        let (difference, overflowed) = now.subtractingReportingOverflow(time)
        return overflowed ? 0 : max(0, difference)
    }
}
