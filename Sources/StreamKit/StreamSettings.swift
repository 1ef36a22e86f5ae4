/// How the engine works through its partitions.
package struct StreamSettings: Hashable, Sendable {
    /// The longest time between two transactions while there is work.
    package var commitInterval: Duration
    /// Records of the input that a transaction takes up at most.
    package var transactionRecords: Int
    /// What all states together may take in memory; above it nothing is read any more.
    package var memoryLimit: Int

    package init(
        commitInterval: Duration = .milliseconds(200),
        transactionRecords: Int = 50_000,
        memoryLimit: Int = 1 << 30
    ) {
        self.commitInterval = commitInterval
        self.transactionRecords = transactionRecords
        self.memoryLimit = memoryLimit
    }
}
