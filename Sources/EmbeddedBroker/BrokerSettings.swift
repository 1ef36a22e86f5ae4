/// How the broker behaves, within bounds. Times and sizes are Kafka's unless a test is better off without.
package struct BrokerSettings: Sendable {
    /// How long the first member of a group waits for others. Kafka waits 3 s.
    package var initialRebalanceDelay: Duration = .milliseconds(100)
    /// The session timeouts a member may ask for. Kafka's begin at 6 s.
    package var sessionTimeouts: ClosedRange<Duration> = .milliseconds(500)...(.seconds(1_800))
    /// What a partition keeps at most; beyond it the oldest batches go.
    package var bytesPerPartition = 64 << 20
    /// The largest request. Kafka takes 100 MiB.
    package var frameByteLimit = 32 << 20
    /// How many partitions a topic gets that is created on first use; nil: none is.
    package var automaticPartitions: Int? = 4
    /// The longest `transaction.timeout.ms` a producer may ask for.
    package var longestTransactionTimeout: Duration = .seconds(900)
    /// The longest metadata of a committed offset, in bytes.
    package var offsetMetadataByteLimit = 4_096
    /// Every decision of the faults follows from it.
    package var seed: UInt64 = 1

    package init() {}

    package struct OutOfBounds: Error { package var setting: String }

    /// Of all topics together.
    static let partitionLimit = 100_000
    static let groupLimit = 10_000
    static let groupSizeLimit = 1_000
    static let transactionalIDLimit = 10_000

    /// - Throws: `OutOfBounds`, with the first setting that makes no sense.
    func check() throws {
        try Self.check("initialRebalanceDelay", .zero...(.seconds(60)) ~= self.initialRebalanceDelay)
        try Self.check("sessionTimeouts", self.sessionTimeouts.lowerBound >= .milliseconds(10))
        try Self.check("sessionTimeouts", self.sessionTimeouts.upperBound <= .seconds(86_400))
        try Self.check("bytesPerPartition", 1_024...(16 << 30) ~= self.bytesPerPartition)
        try Self.check("frameByteLimit", 1_024...(1 << 30) ~= self.frameByteLimit)
        try Self.check("automaticPartitions", 1...Self.partitionLimit ~= self.automaticPartitions ?? 1)
        let longest = self.longestTransactionTimeout
        try Self.check("longestTransactionTimeout", .milliseconds(1)...(.seconds(86_400)) ~= longest)
        try Self.check("offsetMetadataByteLimit", 0...Int(Int16.max) ~= self.offsetMetadataByteLimit)
    }

    private static func check(_ setting: String, _ holds: Bool) throws {
        guard holds else { throw OutOfBounds(setting: setting) }
    }
}
