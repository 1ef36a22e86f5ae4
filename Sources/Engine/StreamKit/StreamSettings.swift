/// The limits and intervals of the stream engines of a process.
package struct StreamSettings: Hashable, Sendable {
    /// The number of engines in one process. Each has a thread of its own and is a member of the consumer
    /// group.
    package var threads: Int
    /// The longest time between two transactions while there is work.
    package var commitInterval: Duration
    /// The number of input records after which a transaction is committed without waiting for the interval.
    /// The records of one batch can exceed it.
    package var transactionRecords: Int
    /// The bytes that all states of a process together may take in memory. Above that, nothing is read any
    /// more.
    package var memoryLimit: Int
    /// How long nothing may be finished, although there is something to do, before the worker reports a
    /// standstill.
    package var stallLimit: Duration
    /// The folder of the marks of records that a task has; nil if records are not marked.
    package var crashFolder: String?

    package init(
        threads: Int = 1,
        commitInterval: Duration = .milliseconds(200),
        transactionRecords: Int = 50_000,
        memoryLimit: Int = 1 << 30,
        stallLimit: Duration = .seconds(30),
        crashFolder: String? = nil
    ) {
        self.threads = threads
        self.commitInterval = commitInterval
        self.transactionRecords = transactionRecords
        self.memoryLimit = memoryLimit
        self.stallLimit = stallLimit
        self.crashFolder = crashFolder
    }
}
