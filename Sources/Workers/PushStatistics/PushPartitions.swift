/// The rule about the numbers of partitions of the input, of the changelog and of the parts topic.
///
/// Devices are at home in the partitions of the changelog, so each of these needs a partition of the input. An input
/// with more is no fault: what comes in elsewhere is sent on to the homes.
package struct PushPartitions: Sendable {
    private let input: (topic: String, count: Int)
    private let changelog: (topic: String, count: Int)
    private let parts: (topic: String, count: Int)
    /// The values of `kafka.changelog_partitions` and `kafka.parts_partitions`.
    private let limits: (changelog: Int?, parts: Int?)

    /// - Parameters:
    ///   - counts: The number of partitions of every topic.
    ///   - limits: The values of `kafka.changelog_partitions` and `kafka.parts_partitions`; nil if not set.
    package init(
        input: String,
        changelog: String,
        parts: String,
        in counts: [String: Int],
        limits: (changelog: Int?, parts: Int?)
    ) {
        self.input = (input, counts[input, default: 0])
        self.changelog = (changelog, counts[changelog, default: 0])
        self.parts = (parts, counts[parts, default: 0])
        self.limits = limits
    }

    /// The number of partitions in which devices are counted.
    private var homes: Int { self.limits.changelog ?? self.changelog.count }

    /// The sentences for what keeps a worker from starting.
    package var faults: [String] {
        let changelog = Self.excess(of: "changelog", self.limits.changelog, in: self.changelog)
        return [
            changelog ?? self.faultOfInput, Self.excess(of: "parts", self.limits.parts, in: self.parts),
        ].compactMap { $0 }
    }

    private static func excess(
        of use: String,
        _ limit: Int?,
        in place: (topic: String, count: Int)
    ) -> String? {
        guard let limit, limit > place.count else { return nil }
        return "kafka.\(use)_partitions is \(limit), and the \(use) topic '\(place.topic)' has only "
            + "\(place.count) partitions: set it to the number with which the state was written."
    }

    private var faultOfInput: String? {
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
