package import StreamKit
import WorkerKit

/// What the stream workers of a simulation are like.
package struct StreamSetup {
    package var partitions = 1
    package var settings = StreamSettings()
    /// How long a task waits before it tells others of what has changed.
    package var pace = Duration.seconds(1)
    /// What a worker may take to have everything reported that it has sent, and what a commit may take after that.
    package var reportLimit = Duration.milliseconds(100)
    package var commitLimit = Duration.milliseconds(700)
    /// Whether everything that a worker has to do next is told to it or has a time. Room that comes of itself, in a
    /// queue or in memory, is looked for once in a while.
    package var isPunctual = true

    /// What all workers together may take in; nil for no bound.
    package var quota: RecordQuota?
    /// What a process knows of records that have killed others; nil if it knows nothing.
    package var crashes: (SimulatedBroker) -> (any CrashMemory)? = { _ in nil }
    /// Bytes of the largest record that the brokers take; nil for any.
    package var messageLimit: Int?

    package init() {}

    /// The same as the judges of brokers read it.
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
