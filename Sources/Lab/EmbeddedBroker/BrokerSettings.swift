/// The limits and timings of an `EmbeddedBroker`.
///
/// Times and sizes are Kafka's defaults, except where a test is better served by another value.
/// `EmbeddedBroker.start` checks the bounds.
package struct BrokerSettings: Sendable {
    /// How long the first member of an empty group waits for further members before the first assignment,
    /// from 0 to 60 s. Kafka waits 3 s (`group.initial.rebalance.delay.ms`).
    package var initialRebalanceDelay: Duration = .milliseconds(100)
    /// The session timeouts that a member may request, between 10 ms and one day. Kafka's minimum is 6 s.
    package var sessionTimeouts: ClosedRange<Duration> = .milliseconds(500)...(.seconds(1_800))
    /// The number of bytes that a partition retains, from 1 KiB to 16 GiB. Beyond the limit the oldest
    /// batches are dropped.
    package var bytesPerPartition = 64 << 20
    /// The largest request in bytes, from 1 KiB to 1 GiB. Kafka accepts 100 MiB.
    package var frameByteLimit = 32 << 20
    /// The number of partitions of a topic that is created on first use. With nil, the broker creates no
    /// topic automatically.
    package var automaticPartitions: Int? = 4
    /// The longest `transaction.timeout.ms` that a producer may request, from 1 ms to one day.
    package var longestTransactionTimeout: Duration = .seconds(900)
    /// The longest metadata of a committed offset, in bytes of UTF-8, from 0 to 32,767.
    package var offsetMetadataByteLimit = 4_096
    /// The time by which the broker's clock is ahead of the system's, up to ten years; negative if it is behind.
    package var clockLead = Duration.zero
    /// The clients that may connect, and the rights of each.
    package var security = BrokerSecurity()
    /// The seed of the fault generator. All random decisions of the faults follow from it.
    package var seed: UInt64 = 1

    /// Creates settings with the default values above.
    package init() {}

    /// A setting lies outside of its bounds; `setting` is the name of the property.
    package struct OutOfBounds: Error { package var setting: String }

    /// The largest number of partitions of all topics together.
    static let partitionLimit = 100_000
    static let groupLimit = 10_000
    static let groupSizeLimit = 1_000
    static let transactionalIDLimit = 10_000

    /// Checks every setting against its bounds.
    ///
    /// - Throws: `OutOfBounds`, with the first setting that is outside of its bounds.
    func check() throws {
        try Self.check("initialRebalanceDelay", .zero...(.seconds(60)) ~= self.initialRebalanceDelay)
        try Self.check("sessionTimeouts", self.sessionTimeouts.lowerBound >= .milliseconds(10))
        try Self.check("sessionTimeouts", self.sessionTimeouts.upperBound <= .seconds(86_400))
        try Self.check("bytesPerPartition", 1_024...(16 << 30) ~= self.bytesPerPartition)
        try Self.check("frameByteLimit", 1_024...(1 << 30) ~= self.frameByteLimit)
        try Self.check("automaticPartitions", 1...Self.partitionLimit ~= self.automaticPartitions ?? 1)
        let longest = self.longestTransactionTimeout
        try Self.check("longestTransactionTimeout", .milliseconds(1)...(.seconds(86_400)) ~= longest)
        let clockLeads = Duration.seconds(-315_360_000)...(.seconds(315_360_000))
        try Self.check("clockLead", clockLeads ~= self.clockLead)
        try Self.check("offsetMetadataByteLimit", 0...Int(Int16.max) ~= self.offsetMetadataByteLimit)
    }

    private static func check(_ setting: String, _ holds: Bool) throws {
        guard holds else { throw OutOfBounds(setting: setting) }
    }
}
