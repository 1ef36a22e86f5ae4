/// The wall clock that deadlines are judged by: the system's, bounded by the monotonic clock and by the broker.
///
/// A wall clock that steps ahead would settle everything as `expired`, for good. So a step is not believed at once:
/// until there is evidence for the new time, deadlines go on by the old time and the monotonic clock. Timestamps of
/// records that are read meanwhile are the evidence, and the new time is believed as far as the oldest of them reaches. A
/// step back only puts deadlines off, and is believed.
///
/// Time that the machine was suspended looks like a step ahead too, and is confirmed by the first records after it.
package struct DeadlineClock: Hashable, Sendable {
    /// The two clocks may drift apart by so much between two readings (milliseconds) without being in doubt.
    package static let tolerance: Int64 = 1_000
    /// Records that must speak for the new time, so far apart from each other, with none between that speaks for the old
    /// one. A publisher can date its records as it likes, and honest ones speak for the right time. Records that are read
    /// together count as one: after a pause of the intake, any of them can be the first.
    package static let evidence = 4
    package static let evidencePause = Duration.seconds(10)

    private var last: Moment?
    /// Milliseconds by which the wall clock is ahead of what deadlines are judged by; 0 if it is believed.
    package private(set) var ahead: Int64 = 0
    private var votes = 0
    /// The greatest age of a record since the first of them, in milliseconds by the new time.
    private var greatestAge: Int64 = 0
    /// The monotonic time of the last of them.
    private var lastVote: Int64 = 0

    package init() {}

    package var isInDoubt: Bool { self.ahead > 0 }

    /// What a reading of the clocks has brought to light.
    package enum Finding: Hashable, Sendable {
        case nothing
        /// The wall clock is ahead by so many milliseconds, and is not believed yet.
        case doubt(Int64)
        /// Records have confirmed a part of the step; by so many milliseconds the wall clock is still ahead.
        case corrected(Int64)
        /// The two clocks agree again, or records have confirmed the new time.
        case settled
    }

    /// Reads both clocks. Called at least once a second.
    package mutating func read(_ now: Moment) -> Finding {
        defer { self.last = now }
        guard let last = self.last else { return .nothing }
        let passed = now.monotonic.subtractingClamped(last.monotonic) / 1_000_000
        let jump = now.wall.subtractingClamped(last.wall).subtractingClamped(passed)
        guard abs(jump.clamped) >= Self.tolerance else { return .nothing }
        let wasInDoubt = self.isInDoubt
        let ahead = self.ahead.addingClamped(jump)
        self.forgetVotes()
        self.ahead = ahead < Self.tolerance ? 0 : ahead
        if self.isInDoubt { return .doubt(self.ahead) }
        return wasInDoubt ? .settled : .nothing
    }

    /// The wall-clock milliseconds to compare a deadline with.
    package func wall(at now: Moment) -> Int64 { now.wall.subtractingClamped(self.ahead) }

    /// A record with this timestamp was read.
    ///
    /// - Returns: `settled` if the new time is believed from now on, `corrected` if a part of the step is.
    package mutating func saw(timestamp: Int64, at now: Moment) -> Finding {
        guard self.isInDoubt, timestamp <= now.wall else { return .nothing }
        // As long as there are records of the old time, a backlog among them, nobody knows which time it is.
        guard timestamp > self.wall(at: now).addingClamped(Self.tolerance) else {
            self.forgetVotes()
            return .nothing
        }
        self.greatestAge = max(self.greatestAge, now.wall.subtractingClamped(timestamp))
        let pause = now.monotonic.subtractingClamped(self.lastVote)
        guard self.votes == 0 || pause >= Self.evidencePause.wholeNanoseconds else { return .nothing }
        self.votes += 1
        self.lastVote = now.monotonic
        guard self.votes >= Self.evidence else { return .nothing }
        self.ahead = self.greatestAge < Self.tolerance ? 0 : min(self.ahead, self.greatestAge)
        self.forgetVotes()
        return self.isInDoubt ? .corrected(self.ahead) : .settled
    }

    private mutating func forgetVotes() {
        self.votes = 0
        self.greatestAge = 0
    }
}

extension Int64 {
    /// The same, but for the one number that has no positive counterpart.
    fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}
