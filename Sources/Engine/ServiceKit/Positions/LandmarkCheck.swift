/// Checks whether a partition is still the one that its commit belongs to.
///
/// A topic that was deleted and created again has other records at the same offsets, and the offsets that the
/// group has committed survive that for a while. A consumer that began at the committed offset would skip the
/// new records before it. So reading begins at the landmark of the commit, which is a record before the
/// committed offset, and the record that is found there is compared with the landmark.
///
/// A log that lost its end in an unclean leader election has its landmark, and other records or none after it.
/// So the commit also names the newest record that had been taken up. If another record stands there, or the
/// log ends before it, everything after the landmark counts as unread. After a change of the leader the end can
/// lag behind for a moment, so a log counts as too short only after a while.
package struct LandmarkCheck: Sendable {
    /// The result for one record that was read.
    package enum Finding: Hashable, Sendable {
        /// The record lies before the committed offset, so it was settled.
        case settled
        /// The record lies after the committed offset, and the newest record of the commit has not been read.
        case open
        /// Nothing of the log is what the commit speaks of: another record stands at the landmark, or none and another at
        /// the newest, or the reader was sent back. The topic was deleted and created again.
        case madeAnew
        /// The log has the landmark, and after that another record, or none, where the commit knew of one: the log lost
        /// its end. Other records may have been published since.
        case cutOff
        /// The log ends before everything that the commit speaks of, and nothing of it has been read.
        case emptied
        /// Everything that the commit names has been read, or is gone. The check is over.
        case over
    }

    /// The landmark that was stored with the commit; nil if there is none, and reading begins at `position`.
    package let landmark: Landmark?
    /// The newest record that had been taken up; nil if the commit names none. Up to `position` there was no
    /// other record after it.
    package let newest: Landmark?
    /// The committed offset.
    package let position: Int64
    /// Whether records can be missing in the log, because the topic is compacted.
    private let isCompacted: Bool
    /// The monotonic time since which the log is too short, and that of the last look at its end, in nanoseconds; nil if
    /// it is not too short.
    private var short: (since: Int64, seen: Int64)?
    /// Whether the record at the landmark was read and is the one that the commit names.
    private var hasLandmark = false
    /// Whether records before the newest one were read, and that one not yet.
    private var owesNewest = false

    /// Makes the check of a commit at `position`; nil if the commit names no record.
    ///
    /// - Parameters:
    ///   - landmark: A record before the position.
    ///   - newest: The newest record that had been taken up.
    ///   - isCompacted: Whether the topic is compacted, as far as the cluster tells.
    package init?(_ landmark: Landmark?, newest: Landmark?, below position: Int64, isCompacted: Bool = false)
    {
        guard landmark != nil || newest != nil else { return nil }
        self.landmark = landmark
        self.newest = newest
        self.position = position
        self.isCompacted = isCompacted
    }

    /// The offset from which on all records count as unread if the log lost its end.
    package var firstInDoubt: Int64 { self.landmark.map { $0.offset + 1 } ?? self.position }

    /// Compares a record that was read with what the commit says.
    ///
    /// - Parameter timestamp: Milliseconds since 1970; nil if the record has none.
    package mutating func look(at offset: Int64, timestamp: Int64?) -> Finding {
        // Reading began at the landmark, and goes back by itself only if there is no such offset.
        guard offset >= self.landmark?.offset ?? self.position else { return .madeAnew }
        if let landmark = self.landmark, offset == landmark.offset {
            self.hasLandmark = timestamp == landmark.timestamp
            return self.hasLandmark ? .settled : .madeAnew
        }
        guard let newest = self.newest else { return offset < self.position ? .settled : .over }
        // Retention takes no record between two others, so the newest one was lost with the end, and what was read before
        // it may be new. Up to the position there was no record after it.
        guard offset <= newest.offset else {
            return self.owesNewest || offset < self.position ? self.otherLog : .over
        }
        self.owesNewest = offset < newest.offset && !self.isCompacted
        if offset == newest.offset, timestamp != newest.timestamp { return self.otherLog }
        guard offset >= self.position else { return .settled }
        return offset < newest.offset ? .open : .over
    }

    /// The finding where the log is not the one that the commit speaks of. If retention has removed the landmark, the log
    /// begins after it, and reading it from its beginning costs nothing. In a compacted topic it could cost the whole log.
    private var otherLog: Finding {
        self.hasLandmark || self.landmark == nil || self.isCompacted ? .cutOff : .madeAnew
    }

    private static var patience: Duration { .seconds(10) }
    /// The longest time between two looks at an end. After a longer one, the log may have been whole in between.
    private static var attention: Duration { .seconds(3) }

    /// Compares the end of the log with what the commit says.
    ///
    /// - Parameters:
    ///   - end: The end of the log. Everything before it has been read, and nothing has come since.
    ///   - now: The monotonic time, in nanoseconds.
    /// - Returns: `open` until the log has been too short for ten seconds. The end must be looked at once a second.
    package mutating func look(atEnd end: Int64, now: Int64) -> Finding {
        guard self.isShort(at: end) else { return self.owesNewest ? self.otherLog : .over }
        var short = self.short ?? (since: now, seen: now)
        if now.subtractingClamped(short.seen) > Self.attention.wholeNanoseconds { short.since = now }
        short.seen = now
        self.short = short
        guard now.subtractingClamped(short.since) >= Self.patience.wholeNanoseconds else { return .open }
        if end >= self.firstInDoubt { return self.otherLog }
        // Reading began at the landmark. Where the log ends there, its records have not been read. Where it ends before,
        // the reader was sent back, and there are none.
        return end > 0 && end == self.landmark?.offset ? .madeAnew : .emptied
    }

    /// Whether the log ends before the records that the commit speaks of.
    private func isShort(at end: Int64) -> Bool { end < max(self.position, (self.newest?.offset ?? -1) + 1) }
}
