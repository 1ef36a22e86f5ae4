/// Checks whether a partition is still the one that its commit belongs to.
///
/// A topic that was deleted and created again has other records at the same offsets, and the offsets that the
/// group has committed survive that for a while. A consumer that began at the committed offset would skip the
/// new records before it. So reading begins at the landmark of the commit, which is a record before the
/// committed offset, and the record that is found there is compared with the landmark.
///
/// A log that lost its end in an unclean leader election has nothing at its landmark, and ends before the
/// committed offset. After a change of the leader the end can lag behind for a moment, so the log counts as
/// cut off only after a while.
package struct LandmarkCheck: Hashable, Sendable {
    /// The result for one record that was read.
    package enum Finding: Hashable, Sendable {
        /// The record lies before the committed offset, so it was settled.
        case settled
        /// Another record stands at the landmark: the topic was deleted and created again.
        case madeAnew
        /// Reading is past the committed offset, or the log begins anew before the landmark. The check is
        /// over.
        case over
    }

    /// The landmark that was stored with the commit.
    package let landmark: Landmark
    /// The committed offset.
    package let position: Int64
    /// The monotonic time since which the log ends before the committed offset, in nanoseconds; nil if it
    /// does not.
    private var shortSince: Int64?

    /// Makes the check of a commit at `position`. The landmark lies before it.
    package init(_ landmark: Landmark, below position: Int64) {
        self.landmark = landmark
        self.position = position
    }

    /// Compares a record that was read with the landmark.
    ///
    /// - Parameter timestamp: Milliseconds since 1970; nil if the record has none.
    package func look(at offset: Int64, timestamp: Int64?) -> Finding {
        guard offset >= self.landmark.offset, offset < self.position else { return .over }
        guard offset == self.landmark.offset else { return .settled }
        return timestamp == self.landmark.timestamp ? .settled : .madeAnew
    }

    /// Returns whether a log that counts as cut off has lost the landmark too, so that nothing shows what its records
    /// are. They may be those of a new topic, and count as such.
    ///
    /// - Parameter end: The end of the log, which is not empty.
    package func isLost(at end: Int64) -> Bool { end > 0 && end == self.landmark.offset }

    private static var patience: Duration { .seconds(10) }

    /// Returns whether the log has lost the records before the committed offset, because it has been too
    /// short for ten seconds.
    ///
    /// - Parameter end: The end of the log. Everything before it has been read.
    package mutating func isCutOff(at end: Int64, now: Int64) -> Bool {
        guard end < self.position else {
            self.shortSince = nil
            return false
        }
        let since = self.shortSince ?? now
        self.shortSince = since
        return now.subtractingClamped(since) >= Self.patience.wholeNanoseconds
    }
}
