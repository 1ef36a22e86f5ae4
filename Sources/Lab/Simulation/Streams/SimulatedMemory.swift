package import Kafka
package import Records
import ServiceKit
import StreamKit

/// Reads topics of the simulated cluster for one process, at the speed that the simulation chooses.
package final class SimulatedMemory: MemoryReader {
    /// The speed and the error of one reading.
    package struct Fate {
        /// The time until there is more to read.
        package var delay: Duration
        /// The largest number of records that arrive at once.
        package var batch: Int
        /// The error of the request; nil if it succeeds.
        package var error: KafkaError?

        /// Makes a fate; without arguments, that of a fast reading without errors.
        package init(delay: Duration = .milliseconds(1), batch: Int = 1_000, error: KafkaError? = nil) {
            self.delay = delay
            self.batch = batch
            self.error = error
        }
    }

    private struct Place {
        let partition: TopicPartition
        var position: Int64 = 0
        /// The offset up to which everything has been read; nil if the last reading left something.
        var readEnd: Int64?
    }

    private let topics: StreamTopics
    private let broker: SimulatedBroker
    private let fate: () -> Fate
    private var places: [Place] = []
    private var arrivesAt: Int64 = .min
    /// How often reports were dropped; the simulated cluster reports nothing.
    package private(set) var drops = 0
    /// The number of records that were handed over.
    package private(set) var recordsRead = 0

    init(_ topics: StreamTopics, of broker: SimulatedBroker, fate: @escaping () -> Fate) {
        self.topics = topics
        self.broker = broker
        self.fate = fate
    }

    private var now: Int64 { self.broker.cluster.clock.now.monotonic }

    /// The time at which the next records arrive, in monotonic nanoseconds; nil if there are none to read.
    var nextDue: Int64? {
        guard self.places.contains(where: { self.hasNews($0) }) else { return nil }
        return self.arrivesAt
    }

    private func hasNews(_ place: Place) -> Bool {
        place.readEnd != self.stableEnd(of: place.partition)
    }

    /// Returns the log of a partition of the input, which can be read a second time; nil for any other topic.
    private func input(_ partition: TopicPartition) -> SimulatedLog? {
        partition.topic == SimulatedCluster.topic ? self.broker.cluster.logs[partition] : nil
    }

    private func stableEnd(of partition: TopicPartition) -> Int64 {
        self.input(partition)?.end ?? self.topics.stableEnd(of: partition)
    }

    private func records(of partition: TopicPartition, from offset: Int64, atMost limit: Int)
        -> [InboundRecord]
    {
        guard let log = self.input(partition) else {
            return self.topics.records(of: partition, from: offset, atMost: limit)
        }
        return Array(log.records[log.index(of: offset)...].prefix(limit))
    }

    package func ends(of partitions: [TopicPartition]) throws(KafkaError) -> [TopicPartition: Int64] {
        guard !partitions.isEmpty else { return [:] }
        try self.ask()
        guard partitions.allSatisfy(self.topics.exists) else { throw .unknownPartition }
        return Dictionary(partitions.map { ($0, self.topics.end(of: $0)) }) { $1 }
    }

    package func start(at offsets: [TopicPartition: Int64]) throws(KafkaError) {
        try self.ask()
        self.places = offsets.sorted { $0.key < $1.key }.map {
            Place(partition: $0.key, position: max(0, $0.value))
        }
        self.arrivesAt = self.broker.cluster.clock.now.after(self.fate().delay)
    }

    package func stop() throws(KafkaError) { self.places = [] }

    package func dropReports() { self.drops += 1 }

    private func ask() throws(KafkaError) {
        guard self.broker.isAlive() else { throw .timedOut }
        if let error = self.fate().error { throw error }
    }

    package func read(
        atMost limit: Int,
        _ take: (consuming InboundRecord) -> Void,
        _ failed: (KafkaError) -> Void
    ) -> Int {
        guard self.now >= self.arrivesAt else { return 0 }
        let fate = self.fate()
        if let error = fate.error { failed(error) }
        var left = min(limit, fate.batch)
        let wanted = left
        for index in self.places.indices where left > 0 && self.hasNews(self.places[index]) {
            let partition = self.places[index].partition
            let stableEnd = self.stableEnd(of: partition)
            // One record more than wanted shows whether there are others. Copying the whole rest instead
            // would copy it once for each batch.
            let records = self.records(of: partition, from: self.places[index].position, atMost: left + 1)
            for record in records.prefix(left) {
                self.places[index].position = record.offset + 1
                take(record)
            }
            self.places[index].readEnd = records.count <= left ? stableEnd : nil
            if records.count <= left { self.places[index].position = stableEnd }
            left -= min(left, records.count)
        }
        self.arrivesAt = self.broker.cluster.clock.now.after(fate.delay)
        self.recordsRead += wanted - left
        return wanted - left
    }

    package func readEnd(of partition: TopicPartition) -> Int64? {
        self.places.first { $0.partition == partition }?.readEnd
    }
}
