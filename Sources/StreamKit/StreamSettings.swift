/// How the engine works through its partitions.
package struct StreamSettings: Hashable, Sendable {
    /// Engines in one process, each on a thread of its own and a member of the consumer group.
    package var threads: Int
    /// The longest time between two transactions while there is work.
    package var commitInterval: Duration
    /// Records of the input that a transaction takes up at most.
    package var transactionRecords: Int
    /// What all states of a process together may take in memory; above it nothing is read any more.
    package var memoryLimit: Int
    /// How long nothing may be finished, although there is something to do, before the worker says so.
    package var stallLimit: Duration
    /// Where marks of records are that a task has; nil for none.
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
