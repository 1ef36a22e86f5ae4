import Kafka

/// Adds partitions to topics, however often the brokers have to be asked.
final class TopicGrowth {
    /// The longest wait for one answer. The caller's event loop stands still meanwhile.
    private static let longestWait = Duration.milliseconds(500)
    /// The time between two tries.
    private static let pause = Duration.seconds(1)

    let partitions: Int
    private let admin: Admin
    /// The topics that do not have all partitions yet, in the order in which they get them.
    private var topics: ArraySlice<String>
    private var nextTry = ContinuousClock.now

    init(of topics: [String], to partitions: Int, brokers: String) throws {
        self.topics = topics[...]
        self.partitions = partitions
        self.admin = try Admin(["bootstrap.servers": brokers])
    }

    /// Tries once, if a try is due. An error is no reason to give up: the brokers of a chaos run fail often.
    ///
    /// - Returns: whether all topics have the partitions.
    func turn() -> Bool {
        while let topic = self.topics.first, .now >= self.nextTry {
            try? self.admin.grow(topic, to: self.partitions, atMost: Self.longestWait)
            // An answer may be lost, so the brokers are asked for the number of partitions in any case.
            let known = try? self.admin.metadata(atMost: Self.longestWait).partitionCounts[topic]
            guard known == self.partitions else {
                self.nextTry = .now + Self.pause
                return false
            }
            self.topics.removeFirst()
        }
        return self.topics.isEmpty
    }
}
