/// The rule about the numbers of partitions of the input and of the changelog.
///
/// Devices are at home in the partitions of the changelog, so each of these needs a partition of the input. An input
/// with more is no fault: what comes in elsewhere is sent on to the homes.
package struct PushPartitions: Sendable {
    private let input: (topic: String, count: Int)
    private let changelog: (topic: String, count: Int)
    /// The value of `kafka.changelog_partitions`.
    private let limit: Int?

    /// - Parameters:
    ///   - counts: The number of partitions of every topic.
    ///   - limit: The value of `kafka.changelog_partitions`; nil if it is not set.
    package init(input: String, changelog: String, in counts: [String: Int], limit: Int?) {
        self.input = (input, counts[input, default: 0])
        self.changelog = (changelog, counts[changelog, default: 0])
        self.limit = limit
    }

    /// The number of partitions in which devices are counted.
    private var homes: Int { self.limit ?? self.changelog.count }

    /// The sentence for what keeps a worker from starting; nil if nothing does.
    package var fault: String? {
        if self.homes > self.changelog.count {
            return "kafka.changelog_partitions is \(self.homes), and the changelog topic "
                + "'\(self.changelog.topic)' has only \(self.changelog.count) partitions: set it to the number "
                + "with which the state was written."
        }
        guard self.homes > self.input.count else { return nil }
        return "Devices are counted in \(self.homes) partitions of the changelog topic "
            + "'\(self.changelog.topic)', and the input topic '\(self.input.topic)' has only \(self.input.count); "
            + "the changelog may not have more. If partitions were added to the changelog, set "
            + "kafka.changelog_partitions to their old number. Otherwise stop the workers when every message is "
            + "complete, and make the changelog anew."
    }

    /// The warning for an input with more partitions than there are homes; nil if it has no more.
    package var growth: String? {
        guard self.input.count > self.homes else { return nil }
        return "The input topic '\(self.input.topic)' has \(self.input.count) partitions, and devices are "
            + "counted in the first \(self.homes), as many as the changelog topic '\(self.changelog.topic)' has "
            + "or kafka.changelog_partitions allows. Events that come in elsewhere are sent on to them. To spread "
            + "devices over all, stop the workers when every message is complete, and make the changelog anew."
    }
}
