import Kafka
import Records

/// What the input says, told apart from any engine.
final class InputModel {
    private struct Partition {
        /// By the places of records: their offsets, and how many items there are up to and with them.
        var offsets: [Int64] = []
        var counts: [Int] = []
        var groups: [String: Set<String>] = [:]
        var firsts: Set<Int64> = []
    }

    private unowned let cluster: SimulatedCluster
    /// Partitions in which items are counted; what comes in elsewhere comes in there again.
    private let homes: Int32
    private var partitions: [Int32: Partition] = [:]
    /// Where the group stood when it was moved back: what comes before has been counted.
    private var counted: [Int32: Int64] = [:]

    init(_ cluster: SimulatedCluster, homes: Int) {
        self.cluster = cluster
        self.homes = Int32(homes)
    }

    /// An operator has moved the group in a partition in which it stood there.
    func groupMoved(from offset: Int64, in number: Int32) {
        self.counted[number] = max(offset, self.counted[number] ?? 0)
        // What was skipped does not count any more.
        self.partitions[number] = nil
    }

    /// Whether items are counted there.
    func isHome(_ number: Int32) -> Bool { number < self.homes }

    /// What a record is; nil if there is none.
    func event(_ offset: Int64, in number: Int32) -> CountedEvent? {
        let place = TopicPartition(topic: SimulatedCluster.topic, partition: number)
        guard let log = self.cluster.logs[place] else { return nil }
        let index = log.index(of: offset)
        guard index < log.records.count, log.records[index].offset == offset else { return nil }
        return CountedEvent(log.records[index])
    }

    /// How many different items there are before an offset.
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

    /// Whether an item is there for the first time.
    func isFirst(_ offset: Int64, in number: Int32) -> Bool { self.partition(number).firsts.contains(offset) }

    /// The items of each group, in all.
    func groups(in number: Int32) -> [String: Set<String>] { self.partition(number).groups }

    private func partition(_ number: Int32) -> Partition {
        // Taken out while it grows: a second owner would have all of it copied.
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

    /// Counts a record, if it is to be counted there.
    private func isFirst(_ record: InboundRecord, _ partition: inout Partition) -> Bool {
        let name = SimulatedCluster.RecordName(partition: record.partition, offset: record.offset)
        guard self.isHome(record.partition), !self.cluster.skipped.contains(name),
            case .item(let item, let group) = CountedEvent(record)
        else { return false }
        return partition.groups[group, default: []].insert(item).inserted
    }
}
