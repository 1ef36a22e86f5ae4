package import Kafka
package import Records
import WireFormats
import WorkerKit

/// One assigned partition of a simulated topic.
package final class SimulatedSource: RecordSource {
    package let partition: TopicPartition
    package internal(set) var hasArrivals = true
    private let cluster: SimulatedCluster
    /// Told how many records are asked for, before any is handed over.
    var asked: (Int) -> Void = { _ in }
    /// Told of each record that is handed over.
    var handedOver: (InboundRecord) -> Void = { _ in }
    package private(set) var end: Int64 = 0
    private var position: Int64
    private var incarnation: Int

    init(_ position: CommittedPosition, _ cluster: SimulatedCluster) {
        self.partition = position.partition
        self.cluster = cluster
        self.position = position.offset ?? 0
        self.incarnation = cluster.logs[position.partition]?.incarnation ?? 0
    }

    /// Whether the next record is there, and due if it is a copy.
    var hasUnreadThatIsDue: Bool {
        guard let log = self.cluster.logs[self.partition] else { return false }
        let index = log.index(of: self.position)
        guard index < log.records.count else { return false }
        let due = RetryTicket(log.records[index].headers)?.due
        return due.map { $0 <= self.cluster.clock.now.wall } ?? true
    }

    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        self.asked(limit)
        let log = self.cluster.logs[self.partition] ?? SimulatedCluster.Log()
        // `auto.offset.reset` is `earliest`.
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
