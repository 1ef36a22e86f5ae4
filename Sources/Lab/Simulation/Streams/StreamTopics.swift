import Kafka
import Records
import ServiceKit
import WorkerKit

/// The topics of a simulated cluster that are written in transactions, kept entry by entry as brokers keep
/// them.
///
/// As in Kafka, a record gets its offset when it is written, and readers can see it only when its transaction
/// is decided. Each partition of the transaction learns the decision from a transaction marker, which takes
/// an offset too. Readers of committed records see a partition up to the first record that is still
/// undecided.
package final class StreamTopics {
    struct Transaction: Hashable {
        var producer: Int
        var number: Int
    }

    private struct Entry {
        /// The record; nil for a marker, and for a record that no reader will see any more.
        var record: InboundRecord?
        /// The transaction that is still undecided; nil if there is none.
        var transaction: Transaction?
    }

    private struct Log {
        var entries: [Entry] = []
        /// The index of the first undecided entry.
        var stableEnd = 0
    }

    private struct Marker: Hashable {
        var partition: TopicPartition
        var transaction: Transaction
        var isCommitted: Bool
    }

    let names: Set<String>
    private unowned let cluster: SimulatedCluster
    private var logs: [TopicPartition: Log] = [:]
    private var touched: [Transaction: [TopicPartition]] = [:]
    /// The transaction markers that have not been written yet.
    private var markers: [Marker] = []
    /// Returns the time until the next marker is written.
    package var markerDelay: () -> Duration = { .milliseconds(1) }
    /// The number of partitions of the changelog. It does not grow with the input.
    private let partitions: Int32
    /// Called with the records and the committed positions of each transaction that becomes visible.
    var judge: ([OutboundRecord], [CommittedPosition]) -> Void = { _, _ in }

    /// Makes empty topics.
    ///
    /// - Parameter consumed: the topics among `names` that the group reads as well.
    init(_ names: Set<String>, consumed: [String], in cluster: SimulatedCluster) {
        self.names = names
        self.cluster = cluster
        self.partitions = Int32(cluster.partitions)
        for topic in consumed {
            for partition in 0..<Int32(cluster.partitions) {
                cluster.logs[TopicPartition(topic: topic, partition: partition)] = SimulatedLog()
            }
        }
        cluster.transactions.wrote = { [unowned self] record, producer, number in
            self.write(record, Transaction(producer: producer, number: number))
        }
        cluster.transactions.decided = { [unowned self] producer, number, isCommitted in
            self.decide(Transaction(producer: producer, number: number), isCommitted)
        }
    }

    /// Returns whether a partition exists. Brokers and clients report an error for any other.
    func exists(_ partition: TopicPartition) -> Bool {
        partition.topic != CountingTask.changelog || partition.partition < self.partitions
    }

    // MARK: - Writing

    private func write(_ record: OutboundRecord, _ transaction: Transaction) {
        guard self.names.contains(record.topic) else { return }
        // A producer cannot begin a transaction before every partition has learned how its last one ended.
        for marker in self.markers where marker.transaction.producer == transaction.producer {
            self.arrived(marker)
        }
        let partition = TopicPartition(topic: record.topic, partition: record.partition ?? 0)
        let entry = Entry(record: self.inbound(record, in: partition), transaction: transaction)
        self.logs[partition, default: Log()].entries.append(entry)
        if self.touched[transaction]?.contains(partition) != true {
            self.touched[transaction, default: []].append(partition)
        }
    }

    /// Writes a record outside any transaction.
    func append(_ record: OutboundRecord) {
        let partition = TopicPartition(topic: record.topic, partition: record.partition ?? 0)
        let entry = Entry(record: self.inbound(record, in: partition))
        self.logs[partition, default: Log()].entries.append(entry)
        self.moveStableEnd(of: partition)
    }

    private func inbound(_ record: OutboundRecord, in partition: TopicPartition) -> InboundRecord {
        InboundRecord(
            topic: partition.topic,
            partition: partition.partition,
            offset: self.end(of: partition),
            timestamp: record.timestamp ?? self.cluster.clock.now.wall,
            key: record.key,
            value: record.value,
            headers: record.headers
        )
    }

    private func moveStableEnd(of partition: TopicPartition) {
        guard var log = self.logs[partition] else { return }
        while log.stableEnd < log.entries.count, log.entries[log.stableEnd].transaction == nil {
            log.stableEnd += 1
        }
        self.logs[partition] = log
    }

    private func decide(_ transaction: Transaction, _ isCommitted: Bool) {
        for partition in self.touched.removeValue(forKey: transaction) ?? [] {
            let marker = Marker(partition: partition, transaction: transaction, isCommitted: isCommitted)
            self.markers.append(marker)
            let due = self.cluster.clock.now.after(self.markerDelay())
            self.cluster.network.add({ [unowned self] in self.arrived(marker) }, due: due)
        }
    }

    private func arrived(_ marker: Marker) {
        guard let place = self.markers.firstIndex(of: marker), var log = self.logs[marker.partition] else {
            return
        }
        self.markers.remove(at: place)
        for index in log.stableEnd..<log.entries.count
        where log.entries[index].transaction == marker.transaction {
            log.entries[index].transaction = nil
            if !marker.isCommitted { log.entries[index].record = nil }
        }
        log.entries.append(Entry())
        let start = log.stableEnd
        while log.stableEnd < log.entries.count, log.entries[log.stableEnd].transaction == nil {
            log.stableEnd += 1
        }
        self.logs[marker.partition] = log
        guard self.cluster.logs[marker.partition] != nil else { return }
        for record in log.entries[start..<log.stableEnd].compactMap(\.record) { self.cluster.append(record) }
        self.cluster.moveEnd(of: marker.partition, to: Int64(log.stableEnd))
    }

    /// Keeps only the newest record of each key in all partitions that the group does not read, as a broker's
    /// compaction does.
    package func compact() {
        for (partition, log) in self.logs where self.cluster.logs[partition] == nil {
            var seen: Set<[UInt8]> = []
            for index in (0..<log.stableEnd).reversed() {
                guard let key = log.entries[index].record?.key, !seen.insert(key).inserted else { continue }
                self.logs[partition]?.entries[index].record = nil
            }
        }
    }

    /// Deletes a topic that the group reads and makes it again without records. The group's committed
    /// positions stay. No transaction of the topic may be undecided.
    package func makeAnew(_ topic: String) {
        for partition in self.logs.keys where partition.topic == topic {
            self.logs[partition] = Log()
            let incarnation = self.cluster.logs[partition]?.incarnation ?? 0
            self.cluster.logs[partition] = SimulatedLog(incarnation: incarnation + 1)
        }
    }

    // MARK: - Reading

    /// Returns the offset that the next record gets, whether or not the records before it are decided.
    func end(of partition: TopicPartition) -> Int64 { Int64(self.logs[partition]?.entries.count ?? 0) }

    /// Returns the offset up to which committed records can be read.
    func stableEnd(of partition: TopicPartition) -> Int64 { Int64(self.logs[partition]?.stableEnd ?? 0) }

    /// Returns the committed records from an offset on, as far as they can be read.
    func records(of partition: TopicPartition, from offset: Int64 = 0, atMost limit: Int = .max)
        -> [InboundRecord]
    {
        guard let log = self.logs[partition], offset < log.stableEnd else { return [] }
        return Array(log.entries[Int(offset)..<log.stableEnd].lazy.compactMap(\.record).prefix(limit))
    }
}
