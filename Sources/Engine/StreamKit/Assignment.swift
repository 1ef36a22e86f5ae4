import Kafka
import ServiceKit

/// A partition that this engine works on, from assignment to revocation.
struct Assignment<Source: RecordSource> {
    enum Stage: Hashable {
        /// The state is being read back since this monotonic time. It has to be read up to the offset `end`.
        case restoring(end: Int64, since: Int64)
        /// The state is complete, and records are processed.
        case working
    }

    let partition: TopicPartition
    let task: any StreamTask
    let source: Source
    var stage: Stage
    /// The position that the group has committed, with the text that tells by whose commit.
    var committed: CommittedPosition
    /// The position of the next commit: the offset after the last record that was processed, or the end of
    /// the partition; nil if it is the committed one.
    var position: Int64?
    /// The last record that was processed, by this engine or by the owner that made the commit; nil if it has
    /// no timestamp.
    var landmark: Landmark?
    /// The check whether the commit belongs to this topic; nil once that is known.
    var check: LandmarkCheck?
    /// The timestamp of the last record that was processed, in milliseconds since 1970.
    var lastTimestamp: Int64?
    /// The end of the partition, if it lies before records that the commit speaks of.
    var shortEnd: Int64?
    /// Whether nothing came after that record when the end of the partition was last reported.
    var isAtEnd = false

    /// The bytes that the task's state took when they were last counted.
    var byteCount = 0

    var isWorking: Bool { self.stage == .working }

    /// The position that the next commit gives the group; nil if there is none.
    var standing: Int64? { self.position ?? self.committed.offset }

    /// Returns how far the partition has been read, in milliseconds since 1970.
    func progress(at now: Moment) -> Int64 {
        self.isAtEnd ? now.wall : min(self.lastTimestamp ?? .min, now.wall)
    }
}
