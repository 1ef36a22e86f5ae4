/// Sees whether a partition is still the one that its commit speaks of.
///
/// A topic that was deleted and made again has other records at the same offsets, and what the group has committed
/// survives that for a while: whoever began at the committed offset would skip the new records before it. So reading
/// begins at the landmark of the commit, which is a record before the committed offset, and compares.
///
/// A log that lost its end in an unclean election shows nothing at its landmark, and ends before the committed offset.
/// After a change of the leader the end can lag behind for a moment, so that is believed only after a while.
package struct LandmarkCheck: Hashable, Sendable {
    package enum Finding: Hashable, Sendable {
        /// The record lies before the committed offset, so it was settled.
        case settled
        /// Another record stands at the landmark.
        case madeAnew
        /// Reading is past the committed offset, or the log begins anew before the landmark.
        case over
    }

    package let landmark: Landmark
    /// The committed offset.
    package let position: Int64
    /// Since when the log ends before the committed offset, by the monotonic clock.
    private var shortSince: Int64?

    package init(_ landmark: Landmark, below position: Int64) {
        self.landmark = landmark
        self.position = position
    }

    package func look(at offset: Int64, timestamp: Int64?) -> Finding {
        guard offset >= self.landmark.offset, offset < self.position else { return .over }
        guard offset == self.landmark.offset else { return .settled }
        return timestamp == self.landmark.timestamp ? .settled : .madeAnew
    }

    private static var patience: Duration { .seconds(10) }

    /// Whether the log has lost what was before the committed offset. Everything before `end` has been read.
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
