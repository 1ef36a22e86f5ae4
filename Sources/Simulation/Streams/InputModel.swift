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
    private var partitions: [Int32: Partition] = [:]

    init(_ cluster: SimulatedCluster) { self.cluster = cluster }

    /// How many different items there are before an offset.
    func items(before offset: Int64, in number: Int32) -> Int {
        let partition = self.partition(number)
        let place = partition.offsets.firstIndex { $0 >= offset } ?? partition.offsets.count
        return place == 0 ? 0 : partition.counts[place - 1]
    }

    /// Whether an item is there for the first time.
    func isFirst(_ offset: Int64, in number: Int32) -> Bool { self.partition(number).firsts.contains(offset) }

    /// The items of each group, in all.
    func groups(in number: Int32) -> [String: Set<String>] { self.partition(number).groups }

    private func partition(_ number: Int32) -> Partition {
        var partition = self.partitions[number] ?? Partition()
        let log = self.cluster.logs[TopicPartition(topic: SimulatedCluster.topic, partition: number)]
        for record in (log?.records ?? []).dropFirst(partition.offsets.count) {
            let group = String(decoding: record.key ?? [], as: UTF8.self)
            let item = String(decoding: record.value ?? [], as: UTF8.self)
            let isFirst = partition.groups[group, default: []].insert(item).inserted
            if isFirst { partition.firsts.insert(record.offset) }
            partition.offsets.append(record.offset)
            partition.counts.append((partition.counts.last ?? 0) + (isFirst ? 1 : 0))
        }
        self.partitions[number] = partition
        return partition
    }
}
