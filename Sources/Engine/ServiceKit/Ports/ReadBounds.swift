package import Kafka

/// The offsets at which the reading of some topics ends.
///
/// A partition whose group stands at its bound or beyond is read before the bound only, to see whether the log is the same.
/// If it lost its end, it can be the next run without a bound that finds out.
package struct ReadBounds: Sendable {
    private let topics: Set<String>
    private let offsets: [TopicPartition: Int64]

    /// - Parameters:
    ///   - topics: The topics that have a bound. All others are read without one.
    ///   - offsets: The bound of each partition. Another partition of these topics is not read, because it did not
    ///     exist when the bounds were asked for.
    package init(topics: [String], _ offsets: [TopicPartition: Int64]) {
        self.topics = Set(topics)
        self.offsets = offsets
    }

    /// The offset before which a partition is read; nil if it has no bound.
    package subscript(partition: TopicPartition) -> Int64? {
        self.topics.contains(partition.topic) ? self.offsets[partition] ?? 0 : nil
    }

    /// Gives each reader its bound.
    ///
    /// - Returns: The readers that have one.
    func limit(_ readers: [PartitionReader]) -> [PartitionReader] {
        readers.filter { reader in
            guard let bound = self[reader.partition] else { return false }
            reader.bound = bound
            return true
        }
    }
}
