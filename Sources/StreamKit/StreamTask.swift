package import Kafka
package import Records
package import WorkerKit

/// The work on one partition of an input topic: records in, records out, and a state between that can be told again
/// from records in Kafka.
///
/// All of it runs on the engine's thread and does no I/O. What a task puts out, the state that it writes down, and how
/// far it has read become one transaction: they are all there, or none of them is, and then the task itself is thrown
/// away and made anew from what was written before.
package protocol StreamTask: AnyObject {
    /// From where the state is read back.
    var memory: StreamMemory { get }

    /// Takes a record of `memory`, in the order of the offsets.
    func restore(_ record: InboundRecord, at now: Moment)

    /// All of `memory` has been taken.
    func restored(at now: Moment)

    /// Takes a record of the input.
    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput)

    /// Takes a record of the input that has killed two processes: says that it is there, and does not look into it.
    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput)

    /// Called before a transaction ends: what must be written for the state to be found again, and what is due.
    ///
    /// - Parameter progress: how far the partition has been read, in milliseconds since 1970: `now` if all of it has.
    func collect(at now: Moment, progress: Int64, _ output: StreamOutput)

    /// When `collect` is due even if nothing arrives: milliseconds since 1970; nil if not at all.
    var nextDue: Int64? { get }

    /// What the state takes in memory, near enough.
    var byteCount: Int { get }
}

/// Where a task's state is.
package enum StreamMemory: Hashable, Sendable {
    /// In a partition that this task alone writes, from the beginning to the end.
    case changelog(TopicPartition)
    /// In the input itself, from the beginning to where the group stands.
    case input
    /// Nowhere: the task has none.
    case none
}

/// Makes tasks.
package protocol StreamApplication: AnyObject {
    /// The topics that are consumed.
    var topics: [String] { get }

    func task(for partition: TopicPartition) -> any StreamTask
}
