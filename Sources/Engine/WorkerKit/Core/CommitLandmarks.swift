package import ServiceKit

/// The records that the commits of one partition name, so that the next owner sees whether a commit belongs to the
/// log that it finds (`LandmarkCheck`).
package struct CommitLandmarks: Sendable {
    /// The newest record that was taken up; nil if it has no timestamp.
    package private(set) var newest: Landmark?
    /// A record before the position.
    private var landmark: Landmark?
    /// A record that was taken up and becomes the landmark when the position has passed it.
    private var next: Landmark?
    /// The check of the commit with which the partition was taken up; nil once it is over. As long as it is not,
    /// that commit stays, with its landmarks, so that another owner can still find out.
    package private(set) var check: LandmarkCheck?

    /// Makes the landmarks of a partition that no commit speaks of.
    package init() {}

    /// Takes over the landmarks of the commit with which a partition is taken up.
    ///
    /// - Parameter isCompacted: Whether the topic is compacted, so that records can be missing in the log.
    package init(of commit: ProgressMetadata, isCompacted: Bool) {
        self.landmark = commit.landmark
        self.newest = commit.newest
        self.check = LandmarkCheck(
            commit.landmark,
            newest: commit.newest,
            below: commit.position,
            isCompacted: isCompacted
        )
    }

    /// Compares a record that was read with what the commit says.
    ///
    /// - Returns: nil if the check is over.
    package mutating func look(at offset: Int64, timestamp: Int64?) -> LandmarkCheck.Finding? {
        let finding = self.check?.look(at: offset, timestamp: timestamp)
        if finding == .over { self.check = nil }
        return finding
    }

    /// Compares the end of the log, up to which everything has been read, with what the commit says.
    ///
    /// - Parameter now: The monotonic time, in nanoseconds.
    /// - Returns: nil if the check is over already.
    package mutating func look(atEnd end: Int64, now: Int64) -> LandmarkCheck.Finding? {
        let finding = self.check?.look(atEnd: end, now: now)
        if finding == .over { self.check = nil }
        return finding
    }

    /// Notes a record that is taken up.
    ///
    /// - Parameters:
    ///   - timestamp: Milliseconds since 1970; nil if the record has none.
    ///   - position: The first offset that is not known to be done.
    package mutating func note(_ offset: Int64, timestamp: Int64?, position: Int64) {
        guard self.check == nil else { return }
        let record = timestamp.map { Landmark(offset: offset, timestamp: $0) }
        self.newest = record
        if let next = self.next {
            guard next.offset < position else { return }
            self.landmark = next
        }
        self.next = record
    }

    /// Returns a record before a position that is to be committed; nil if none is known.
    package func landmark(below position: Int64) -> Landmark? {
        if let next = self.next, next.offset < position { return next }
        return self.landmark
    }
}
