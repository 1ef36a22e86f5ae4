/// The oldest unfinished record of a partition, where it holds up all the others.
///
/// The window of the partition is nearly full, and nearly every record in it is done. More speed would not
/// help: this one record is missing, and soon nothing more can be read. The bounds are those of Uber's
/// uForwarder, which resolves such a head of line by giving the record up to the retry queue or the dead
/// letters.
package struct HeadOfLine: Hashable, Sendable {
    /// The used share of the window above which the window is about to close.
    package static let usedShare = 0.9
    /// The finished share of the used window above which only few records are unfinished.
    package static let finishedShare = 0.98

    /// The offset of the record that the others wait for.
    package let offset: Int64
    /// The number of offsets from that record to the newest one in hand, itself included.
    package let used: Int
    /// The number of these offsets that are done.
    package let finished: Int

    /// Looks for a record that holds up its partition; nil if there is none.
    ///
    /// The look is cheap enough for every partition once a second.
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
