import EventThread
import Kafka
import Records

/// Reads a topic from its beginning, outside any consumer group.
final class TopicReader {
    private let consumer: Consumer
    private let sources: [PartitionReader]
    private(set) var records: [InboundRecord] = []

    init(_ topic: String, _ cluster: TestCluster) throws {
        self.consumer = try Consumer(
            [
                "bootstrap.servers": cluster.brokers, "group.id": "flotilla-test-reader",
                "fetch.wait.max.ms": "5", "auto.offset.reset": "earliest",
            ]
        )
        let partitions = try self.consumer.metadata(atMost: .seconds(10)).partitionCounts[topic] ?? 0
        self.sources = try self.consumer.assign(
            (0..<partitions).map {
                CommittedPosition(partition: TopicPartition(topic: topic, partition: Int32($0)), offset: 0)
            }
        )
    }

    /// To destroy a client that still has records to read can wait without a bound, and a test must not.
    deinit { self.consumer.abandon() }

    /// Reads on until this holds or the time is up.
    ///
    /// - Returns: whether it holds.
    func read(atMost longest: Duration = .seconds(60), until isEnough: ([InboundRecord]) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + longest
        var wait = Wait(on: [self.consumer.descriptor])
        while true {
            self.consumer.serve { _ in }
            for source in self.sources {
                _ = source.read(atMost: 1_000) {
                    self.records.append($0)
                } _: { _ in
                }
            }
            if isEnough(self.records) { return true }
            guard ContinuousClock.now < deadline else { return false }
            if !self.sources.contains(where: \.hasArrivals) { wait(atMost: .milliseconds(100)) }
        }
    }

    /// Reads until there are so many different results.
    func read(outcomes count: Int, atMost longest: Duration = .seconds(60)) -> Bool {
        self.read(atMost: longest) { Set($0.compactMap(\.outcomeID)).count >= count }
    }
}
