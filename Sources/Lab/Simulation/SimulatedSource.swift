package import Kafka
package import Records
import ServiceKit
import WireFormats

/// Reads one assigned partition of a simulated topic.
package final class SimulatedSource: RecordSource {
    /// The partition that is read.
    package let partition: TopicPartition
    /// Whether there may be something to read.
    package internal(set) var hasArrivals = true
    private let cluster: SimulatedCluster
    /// Called with the number of records that are asked for, before any record is passed on.
    var asked: (Int) -> Void = { _ in }
    /// Called for each record that is passed on.
    var handedOver: (InboundRecord) -> Void = { _ in }
    /// The end of the partition when the reader last reached it.
    package private(set) var end: Int64 = 0
    /// The offsets between which the records of the partition lie.
    package var logBounds: LogBounds? {
        self.cluster.logs[self.partition].map {
            LogBounds(start: $0.records.first?.offset ?? $0.end, end: $0.end)
        }
    }
    private var position: Int64
    private var incarnation: Int

    init(_ position: CommittedPosition, _ cluster: SimulatedCluster) {
        self.partition = position.partition
        self.cluster = cluster
        self.position = position.offset ?? 0
        self.incarnation = cluster.logs[position.partition]?.incarnation ?? 0
    }

    /// Whether there is another record to read, which is due if it is a copy in a retry topic.
    var hasUnreadThatIsDue: Bool {
        guard let log = self.cluster.logs[self.partition] else { return false }
        let index = log.index(of: self.position)
        guard index < log.records.count else { return false }
        let due = RetryTicket(log.records[index].headers)?.due
        return due.map { $0 <= self.cluster.clock.now.wall } ?? true
    }

    /// Passes on at most `limit` records, and calls `failed` with `endOfPartition` after the last one.
    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        self.asked(limit)
        guard !self.cluster.mutePartitions.contains(self.partition) else {
            self.hasArrivals = false
            return 0
        }
        if let error = self.cluster.readErrors[self.partition] {
            self.hasArrivals = false
            failed(error)
            return 0
        }
        let log = self.cluster.logs[self.partition] ?? SimulatedLog()
        // If the position no longer exists, reading begins again at offset 0, as with `auto.offset.reset` set
        // to `earliest`.
        if log.incarnation != self.incarnation || self.position > log.end { self.position = 0 }
        self.incarnation = log.incarnation
        var taken = 0
        for record in log.records[log.index(of: self.position)...] {
            guard taken < limit else { return taken }
            self.position = record.offset + 1
            taken += 1
            self.handedOver(record)
            take(record)
        }
        self.hasArrivals = false
        self.end = log.end
        failed(KafkaError(code: .endOfPartition, message: "no more records"))
        return taken
    }
}
