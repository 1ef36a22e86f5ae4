package import Kafka
package import Records
package import ServiceKit

/// The work on one partition of an input topic: records in, records out, and between them a state that can be
/// rebuilt from records in Kafka.
///
/// All functions run on the engine's thread and do no I/O. The records that a task puts out, the state that
/// it writes down and the position that it has read to become one transaction: all of them are there, or none
/// is. If none is, the task itself is dropped and made anew from what was written before.
package protocol StreamTask: AnyObject {
    /// The place from which the state is read back.
    var memory: StreamMemory { get }

    /// Takes a record of `memory`, in the order of the offsets.
    func restore(_ record: InboundRecord, at now: Moment)

    /// Notes that all records of `memory` have been taken.
    func restored(at now: Moment)

    /// Processes a record of the input.
    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput)

    /// Takes a record of the input that has killed three processes. The task reports the record without looking
    /// into it.
    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput)

    /// Called before a transaction ends. Puts out what must be written for the state to be found again, and
    /// what is due. Gives up as much as the output asks for; while it does, no record is processed.
    ///
    /// - Parameter progress: How far the partition has been read, in milliseconds since 1970; the wall-clock
    ///   time of `now` if all of it has been.
    func collect(at now: Moment, progress: Int64, _ output: StreamOutput)

    /// The time at which `collect` is due even if nothing arrives, in milliseconds since 1970; nil if there
    /// is none.
    var nextDue: Int64? { get }

    /// The number of bytes that the state takes in memory; an estimate is good enough.
    var byteCount: Int { get }
}

/// The place of a task's state.
package enum StreamMemory: Hashable, Sendable {
    /// A partition that this task alone writes, from its beginning to its end, save for the `clockRecord` of a worker that
    /// starts.
    case changelog(TopicPartition)
    /// The input itself, from its beginning to the position that the group has committed.
    case input
    /// No place, because the task has no state.
    case none
}

/// The part of a stream worker that makes the tasks.
package protocol StreamApplication: AnyObject {
    /// The topics that are consumed.
    var topics: [String] { get }

    /// The topics among them that others write. A run with a bound reads these up to it, and all others as they come.
    /// They are also the topics whose records tell the time elsewhere: those of the others can be dated by workers.
    var inputTopics: [String] { get }

    /// The spread of the state over the partitions of each topic where the place of a key follows from their number.
    var spreads: [StateSpread] { get }

    /// A record that every task ignores, for a topic on whose records the brokers put their time. A worker that starts
    /// writes it, and learns from the answer how far its own clock is ahead. Nil for none.
    var clockRecord: OutboundRecord? { get }

    /// Returns a new task for a partition. Its state is empty until records of its memory are restored.
    func task(for partition: TopicPartition) -> any StreamTask
}

extension StreamApplication {
    package var inputTopics: [String] { self.topics }
    package var spreads: [StateSpread] { [] }
    package var clockRecord: OutboundRecord? { nil }
}
