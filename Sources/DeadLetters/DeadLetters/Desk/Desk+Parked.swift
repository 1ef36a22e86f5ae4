import Kafka
import Records
import WorkerKit

extension Desk {
    /// The number of tickets at most that one look at parked records keeps in memory.
    static let ticketLimit = 2_000_000

    /// Reads all parking topics of the cluster from the beginning, and returns what is parked.
    ///
    /// - Throws: `KafkaError` or `LogStretch.Stalled` if the cluster does not answer in time.
    package func parked() throws -> ParkedList {
        let log = self.reader.log
        let suffix = ParkingTicket.topicSuffix
        let counts = try log.metadata(atMost: self.settings.patience).partitionCounts
        var places: [TopicPartition: TopicPartition] = [:]
        for (topic, count) in counts where topic.hasSuffix(suffix) {
            for partition in 0..<Int32(clamping: count) {
                let place = TopicPartition(topic: String(topic.dropLast(suffix.count)), partition: partition)
                places[TopicPartition(topic: topic, partition: partition)] = place
            }
        }
        var tally = ParkedTally(clusterID: self.reader.clusterID, limit: Self.ticketLimit)
        let ranges = try log.bounds(of: places.keys, atMost: self.settings.patience)
        try LogStretch(log: log, ranges: ranges, patience: self.settings.patience).read { partition, record in
            if let place = places[partition] { tally.take(record.copy(), of: place) }
        } _: { _ in
        }
        return tally.list()
    }
}
