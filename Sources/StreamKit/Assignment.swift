import Kafka
import WorkerKit

/// A partition in this engine's care.
struct Assignment<Source: RecordSource> {
    enum Stage: Hashable {
        /// The state is being read back. A changelog has to be read up to here.
        case restoring(end: Int64, since: Int64)
        case working
    }

    let partition: TopicPartition
    let task: any StreamTask
    let source: Source
    var stage: Stage
    /// Where the group stands, and by whose commit.
    var committed: CommittedPosition
    /// The record after the last that was processed; nil if that is the same.
    var position: Int64?
    /// The last record that was processed, by this engine or by whoever committed.
    var landmark: Landmark?
    /// Nil once it is known whether the commit speaks of this topic.
    var check: LandmarkCheck?
    /// The time of the last record, in milliseconds since 1970.
    var lastTimestamp: Int64?
    /// Whether there was nothing after it when that was last heard of.
    var isAtEnd = false

    var isWorking: Bool { self.stage == .working }

    /// Where the group is to stand, if that is anywhere.
    var standing: Int64? { self.position ?? self.committed.offset }

    /// How far the partition has been read, in milliseconds since 1970.
    func progress(at now: Moment) -> Int64 {
        self.isAtEnd ? now.wall : min(self.lastTimestamp ?? .min, now.wall)
    }
}
