import Kafka
import Records
import WorkerKit

/// One partition of a topic that the group consumes.
struct SimulatedLog {
    var records: [InboundRecord] = []
    /// The number of times that the topic was deleted and made again.
    var incarnation = 0
    /// The offset that the next record gets.
    var end: Int64 = 0
    /// The offsets of records that were cut off. Other records may have got them since.
    private(set) var lost: Range<Int64> = 0..<0

    /// Notes that the records of these offsets were cut off.
    mutating func noteLoss(of offsets: Range<Int64>) {
        guard !self.lost.isEmpty else { return self.lost = offsets }
        let (first, end) = (self.lost.lowerBound, self.lost.upperBound)
        self.lost = min(first, offsets.lowerBound)..<max(end, offsets.upperBound)
    }

    /// Returns the index of the first record at or after an offset.
    func index(of offset: Int64) -> Int {
        var (low, high) = (0, self.records.count)
        while low < high {
            let middle = (low + high) / 2
            if self.records[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the record at exactly this offset; nil if there is none.
    func record(at offset: Int64) -> InboundRecord? {
        let index = self.index(of: offset)
        guard index < self.records.count, self.records[index].offset == offset else { return nil }
        return self.records[index]
    }
}

/// The partitions of all topics that the group consumes, and what is known of the input topic as a whole.
struct SimulatedLogs {
    private struct KeyName: Hashable {
        var partition: Int32
        var key: [UInt8]
    }

    private var logs: [TopicPartition: SimulatedLog] = [:]
    /// The offsets of the input's records, by their partition and key.
    private var offsetsOfKeys: [KeyName: [Int64]] = [:]
    /// The number of records that were appended to the input since it was last made again, except those that
    /// were cut off.
    private(set) var inputCount = 0
    /// The number of partitions of the input topic.
    private(set) var inputPartitions: Int32

    init(inputPartitions: Int, retryTopics: [String]) {
        self.inputPartitions = Int32(inputPartitions)
        for topic in [SimulatedCluster.topic] + retryTopics {
            for partition in 0..<self.inputPartitions {
                self.logs[TopicPartition(topic: topic, partition: partition)] = SimulatedLog()
            }
        }
    }

    /// The log of a partition; nil if the group does not consume it.
    subscript(partition: TopicPartition) -> SimulatedLog? {
        get { self.logs[partition] }
        set { self.logs[partition] = newValue }
    }

    /// The log of a partition of the input topic.
    subscript(input partition: Int32) -> SimulatedLog? {
        get { self.logs[SimulatedCluster.input(partition)] }
        set { self.logs[SimulatedCluster.input(partition)] = newValue }
    }

    var count: Int { self.logs.count }

    var partitions: Dictionary<TopicPartition, SimulatedLog>.Keys { self.logs.keys }

    /// The records of the input topic, partition by partition.
    var inputs: [InboundRecord] { (0..<self.inputPartitions).flatMap { self[input: $0]?.records ?? [] } }

    func allSatisfy(_ test: (TopicPartition, SimulatedLog) -> Bool) -> Bool {
        self.logs.allSatisfy { test($0.key, $0.value) }
    }

    mutating func append(_ record: InboundRecord) {
        let partition = TopicPartition(topic: record.topic, partition: record.partition)
        self.logs[partition]?.records.append(record)
        self.logs[partition]?.end = record.offset + 1
        guard record.topic == SimulatedCluster.topic else { return }
        self.inputCount += 1
        guard let key = record.key else { return }
        self.offsetsOfKeys[KeyName(partition: record.partition, key: key), default: []].append(record.offset)
    }

    /// Empties a partition, as deleting a topic and making it again does.
    mutating func makeAnew(_ partition: TopicPartition) {
        let incarnation = self.logs[partition]?.incarnation ?? 0
        self.logs[partition] = SimulatedLog(incarnation: incarnation + 1)
    }

    mutating func makeInputAnew() {
        for partition in 0..<self.inputPartitions { self.makeAnew(SimulatedCluster.input(partition)) }
        self.offsetsOfKeys = [:]
        self.inputCount = 0
    }

    mutating func removeInputs(before offset: Int64, in partition: Int32) {
        guard let log = self[input: partition] else { return }
        self[input: partition]?.records.removeSubrange(..<log.index(of: offset))
    }

    mutating func removeInput(at offset: Int64, in partition: Int32) {
        guard let log = self[input: partition], log.record(at: offset) != nil else { return }
        self[input: partition]?.records.remove(at: log.index(of: offset))
    }

    /// Deletes the newest records of a partition of the input, from offset `end` on.
    ///
    /// - Returns: the offsets of these records.
    mutating func cutOffInput(_ partition: Int32, at end: Int64) -> [Int64] {
        guard let log = self[input: partition], end < log.end else { return [] }
        let kept = log.index(of: end)
        self[input: partition]?.records.removeSubrange(kept...)
        self[input: partition]?.end = end
        self[input: partition]?.noteLoss(of: end..<log.end)
        self.inputCount -= log.records.count - kept
        for record in log.records[kept...] {
            guard let key = record.key else { continue }
            self.offsetsOfKeys[KeyName(partition: partition, key: key)]?.removeAll { $0 == record.offset }
        }
        return log.records[kept...].map(\.offset)
    }

    /// Adds a partition to the input topic.
    mutating func growInput() {
        self[input: self.inputPartitions] = SimulatedLog()
        self.inputPartitions += 1
    }

    /// Returns the offsets of the input's records that come before this one in an order.
    func predecessors(of offset: Int64, in partition: Int32, by ordering: EngineSettings.Ordering) -> [Int64]
    {
        guard ordering != .none, let log = self[input: partition], let record = log.record(at: offset) else {
            return []
        }
        if ordering == .partition { return log.records[..<log.index(of: offset)].map(\.offset) }
        guard let key = record.key else { return [] }
        return (self.offsetsOfKeys[KeyName(partition: partition, key: key)] ?? []).filter { $0 < offset }
    }
}
