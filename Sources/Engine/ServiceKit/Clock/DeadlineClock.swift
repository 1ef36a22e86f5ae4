package import Logging

/// The wall clock that deadlines are compared with: the system's clock, checked against the monotonic clock
/// and against the timestamps of records.
///
/// A wall clock that steps ahead would settle every record as `expired`, for good. So a step ahead is not
/// used at once: until there is evidence for the new time, deadlines go by the old time and the monotonic
/// clock. The evidence is the timestamps of records that are read meanwhile, and the new time is used as far
/// as the oldest of them reaches. A step back only postpones deadlines, so it is used at once.
///
/// A clock that is ahead already when the process starts is treated in the same way, as far as the brokers'
/// clock shows it.
///
/// A time during which the machine was suspended looks like a step ahead too. The first records after it
/// confirm it.
package struct DeadlineClock: Hashable, Sendable {
    /// The drift between the two clocks from one reading to the next, in milliseconds, from which on the wall
    /// clock is in doubt.
    package static let tolerance: Int64 = 1_000
    /// The number of records that must confirm the new time, each `evidencePause` after the last, without a
    /// record of the old time between them. A publisher can date its records as it likes, and honest
    /// publishers confirm the right time. Records that are read together count as one, because after a pause
    /// of the intake any of them can be the first.
    package static let evidence = 4
    /// The least time between two records that count as evidence.
    package static let evidencePause = Duration.seconds(10)

    private var last: Moment?
    /// The milliseconds by which the wall clock is ahead of the time that deadlines are compared with; 0 if
    /// the wall clock is used as it is.
    package private(set) var ahead: Int64
    /// The records that have confirmed the new time so far.
    private var votes = 0
    /// The greatest age of a record since the first of `votes`, in milliseconds by the new time.
    private var greatestAge: Int64 = 0
    /// The monotonic time of the last of `votes`, in nanoseconds.
    private var lastVote: Int64 = 0

    /// The difference from the brokers' clock, in milliseconds, from which on the wall clock is in doubt at the
    /// start. It is larger than `tolerance` because the brokers' clock can be the one that is wrong.
    package static let startTolerance: Int64 = 10_000

    /// Makes a clock that has read nothing yet.
    ///
    /// - Parameter lead: The milliseconds by which the wall clock is ahead of the brokers' clock; 0 if that is
    ///   not known.
    package init(aheadOfBrokersBy lead: Int64 = 0) { self.ahead = lead < Self.startTolerance ? 0 : lead }

    /// Whether the wall clock is ahead and records have not confirmed its whole lead yet.
    package var isInDoubt: Bool { self.ahead > 0 }

    /// The result of a reading of the clocks, or of a record's timestamp.
    package enum Finding: Hashable, Sendable {
        case nothing
        /// The wall clock is ahead by so many milliseconds, by a step or since the start, and is not used yet.
        case doubt(Int64)
        /// Records have confirmed a part of the step. The wall clock is still ahead by so many milliseconds.
        case corrected(Int64)
        /// The two clocks agree again, or records have confirmed the new time.
        case settled
    }

    /// Reads both clocks. Call it at least once a second.
    package mutating func read(_ now: Moment) -> Finding {
        defer { self.last = now }
        guard let last = self.last else { return self.isInDoubt ? .doubt(self.ahead) : .nothing }
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

    /// Returns the wall-clock time to compare a deadline with, in milliseconds since 1970.
    package func wall(at now: Moment) -> Int64 { now.wall.subtractingClamped(self.ahead) }

    /// Takes the timestamp of a record that was just read as evidence. One that is later than the wall clock says that this
    /// is not ahead, whatever it was before.
    ///
    /// - Parameter timestamp: Milliseconds since 1970.
    /// - Returns: `settled` if the new time is used from now on, `corrected` if a part of the step is.
    package mutating func saw(timestamp: Int64, at now: Moment) -> Finding {
        guard self.isInDoubt else { return .nothing }
        // As long as records of the old time arrive, a backlog among them, it is not known which time it is.
        guard timestamp > self.wall(at: now).addingClamped(Self.tolerance) else {
            self.forgetVotes()
            return .nothing
        }
        self.greatestAge = max(self.greatestAge, now.wall.subtractingClamped(timestamp), 0)
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

extension DeadlineClock.Finding {
    /// Writes the finding to the log, and shows by how many milliseconds the wall clock is ahead of the time in use.
    package func tell(_ logger: Logger, _ show: (Int) -> Void) {
        switch self {
        case .nothing: break
        case .doubt(let ahead):
            show(Int(clamping: ahead))
            logger.error(
                "the wall clock is ahead: nothing expires by its time until records confirm it",
                metadata: ["seconds": "\(ahead / 1_000)"]
            )
        case .corrected(let ahead): show(Int(clamping: ahead))
        case .settled:
            show(0)
            logger.notice("the wall clock is believed again")
        }
    }
}

extension Int64 {
    /// The number itself, or the next larger one for the only number that has no positive counterpart.
    fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}
