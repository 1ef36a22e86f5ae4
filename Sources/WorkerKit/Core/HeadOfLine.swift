/// The oldest unfinished record of a partition, where it holds up all the others.
///
/// The window of a partition is nearly full and nearly everything in it is done: what is missing is not speed but
/// this one record, and soon nothing more can be read. The bounds are those of Uber's uForwarder, which resolves such
/// a head of line by giving the record up to the retry queue or the dead letters.
package struct HeadOfLine: Hashable, Sendable {
    /// Above this share of the window in use, it is about to close.
    package static let usedShare = 0.9
    /// Above this share of what is in use, those that are not done are few.
    package static let finishedShare = 0.98

    /// The record that the others wait for.
    package let offset: Int64
    /// Offsets from it to the newest in hand, itself included.
    package let used: Int
    /// Those of them that are done.
    package let finished: Int

    /// Nil if nothing is held up. Cheap enough to be asked of every partition once a second.
    package init?(of progress: PartitionProgress) {
        let used = progress.inHandCount
        guard Double(used) > Self.usedShare * Double(PartitionProgress.window) else { return nil }
        let finished = progress.finishedCount
        guard Double(finished) > Self.finishedShare * Double(used) else { return nil }
        self.offset = progress.position
        self.used = used
        self.finished = finished
    }
}
