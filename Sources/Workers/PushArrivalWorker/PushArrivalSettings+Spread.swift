import StreamKit

// The places of devices and messages follow from the partitions of two topics.
extension PushArrivalSettings {
    /// Returns the spread of the devices over the partitions of the changelog.
    func spread(in partitionCounts: [String: Int]) -> StateSpread {
        StateSpread(
            of: self.topics.changelog,
            partitions: partitionCounts[self.topics.changelog] ?? 1,
            limit: self.topics.changelogPartitions,
            by: self.partitioner
        )
    }

    /// Returns the spread of the messages over the partitions of the parts topic.
    func spreadOfParts(in partitionCounts: [String: Int]) -> StateSpread {
        StateSpread(
            of: self.topics.parts,
            as: .parts,
            partitions: partitionCounts[self.topics.parts] ?? 1,
            limit: self.topics.partsPartitions
        )
    }
}
