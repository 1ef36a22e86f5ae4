import Kafka
import Records

/// Computes from the input what the engines must have counted, independently of any engine.
final class InputModel {
    private struct Partition {
        /// The offset of each record, by the record's index.
        var offsets: [Int64] = []
        /// The number of different items up to and including each record, by the record's index.
        var counts: [Int] = []
        var groups: [String: Set<String>] = [:]
        var firsts: Set<Int64> = []
    }

    private unowned let cluster: SimulatedCluster
    /// The number of partitions in which items are counted. Records of other partitions are sent on to these.
    private let homes: Int32
    private var partitions: [Int32: Partition] = [:]
    /// The position before the group was set back, by partition. Records before it have been counted.
    private var counted: [Int32: Int64] = [:]

    init(_ cluster: SimulatedCluster, homes: Int) {
        self.cluster = cluster
        self.homes = Int32(homes)
    }

    /// Notes that an operator has changed the group's position in a partition.
    ///
    /// - Parameter offset: the position before the change.
    func groupMoved(from offset: Int64, in number: Int32) {
        self.counted[number] = max(offset, self.counted[number] ?? 0)
        // Skipped records no longer count, so the partition is computed anew.
        self.partitions[number] = nil
    }

    /// Returns whether items are counted in a partition.
    func isHome(_ number: Int32) -> Bool { number < self.homes }

    /// Returns the meaning of a record; nil if there is none at this offset.
    func event(_ offset: Int64, in number: Int32) -> CountedEvent? {
        let place = TopicPartition(topic: SimulatedCluster.topic, partition: number)
        guard let log = self.cluster.logs[place] else { return nil }
        let index = log.index(of: offset)
        guard index < log.records.count, log.records[index].offset == offset else { return nil }
        return CountedEvent(log.records[index])
    }

    /// Returns the number of different items before an offset.
    func items(before offset: Int64, in number: Int32) -> Int {
        let offset = max(offset, self.counted[number] ?? 0)
        let partition = self.partition(number)
        var (place, end) = (0, partition.offsets.count)
        while place < end {
            let middle = (place + end) / 2
            if partition.offsets[middle] < offset { place = middle + 1 } else { end = middle }
        }
        return place == 0 ? 0 : partition.counts[place - 1]
    }

    /// Returns whether the record at an offset contains its item for the first time.
    func isFirst(_ offset: Int64, in number: Int32) -> Bool { self.partition(number).firsts.contains(offset) }

    /// Returns all items of each group.
    func groups(in number: Int32) -> [String: Set<String>] { self.partition(number).groups }

    private func partition(_ number: Int32) -> Partition {
        // The value is taken out of the dictionary while it grows, since a second reference to it would make
        // every change copy all of it.
        var partition = self.partitions.removeValue(forKey: number) ?? Partition()
        let log = self.cluster.logs[TopicPartition(topic: SimulatedCluster.topic, partition: number)]
        for record in (log?.records ?? []).dropFirst(partition.offsets.count) {
            let isFirst = self.isFirst(record, &partition)
            if isFirst { partition.firsts.insert(record.offset) }
            partition.offsets.append(record.offset)
            partition.counts.append((partition.counts.last ?? 0) + (isFirst ? 1 : 0))
        }
        self.partitions[number] = partition
        return partition
    }

    /// Adds the item of a record if items are counted in its partition, and returns whether the item is new.
    private func isFirst(_ record: InboundRecord, _ partition: inout Partition) -> Bool {
        let name = RecordName(partition: record.partition, offset: record.offset)
        guard self.isHome(record.partition), !self.cluster.skipped.contains(name),
            case .item(let item, let group) = CountedEvent(record)
        else { return false }
        return partition.groups[group, default: []].insert(item).inserted
    }
}
