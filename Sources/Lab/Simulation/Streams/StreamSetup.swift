package import StreamKit
import WorkerKit

/// The properties of the stream workers of a simulation.
package struct StreamSetup {
    /// The number of partitions of each topic.
    package var partitions = 1
    /// The settings of every engine.
    package var settings = StreamSettings()
    /// The time that a task waits before it reports a change.
    package var pace = Duration.seconds(1)
    /// The time that a worker may take until all records that it has sent are reported.
    package var reportLimit = Duration.milliseconds(100)
    /// The time that a commit may take after that.
    package var commitLimit = Duration.milliseconds(700)
    /// Whether a worker has an event or a time for all its next work, so that it never wakes late. It has not
    /// where it must wait for room in a queue or in memory, for which it looks only once in a while.
    package var isPunctual = true

    /// The limit on the records that all workers together may read; nil for none.
    package var quota: RecordQuota?
    /// Makes the memory in which a process finds records that have killed others; nil for a process without
    /// one.
    package var crashes: (SimulatedBroker) -> (any CrashMemory)? = { _ in nil }
    /// The spread of the state, which its records carry; nil for records that carry none.
    package var spread: StateSpread?
    /// The size in bytes of the largest encoded record that the brokers accept; nil for no limit.
    package var messageLimit: Int?

    /// Makes a setup with one partition and without limits.
    package init() {}

    /// The limits of this setup in the form that the judges of a simulated broker read.
    var limits: EngineSettings {
        var limits = EngineSettings(
            inputTopic: SimulatedCluster.topic,
            groupID: "workers",
            worker: "simulated-worker",
            workerVersion: "1",
            upstream: "none"
        )
        limits.recordsLimit = 1_000_000
        limits.bytesLimit = .max
        limits.drainLimit = self.reportLimit
        limits.commitLimit = self.commitLimit
        return limits
    }
}
