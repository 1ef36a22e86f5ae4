import EventThread
import Kafka
import Records
import Testing

@testable import EmbeddedBroker

/// The place at which a consumer begins to read.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AssignmentTests {
    private static let partition = Kafka.TopicPartition(topic: "t", partition: 0)
    private static let count: Int64 = 30

    /// A question for the end of the log must not outlive the assignment that needed it. If librdkafka asks it, a
    /// late answer moves the next assignment to the end.
    @Test(arguments: [LogReader.end, LogReader.beginning, nil])
    func readsEveryRecordAfterAnAssignmentThatDidNotLast(_ first: Int64?) async throws {
        try await Self.withRecords { broker, consumer in
            // From here on the client knows the leader, and asks it at once.
            _ = try consumer.metadata(atMost: .seconds(10))
            var faults = BrokerFaults()
            faults.latency = .milliseconds(100) ... .milliseconds(100)
            try await broker.setFaults(faults)
            _ = try Self.reader(consumer, at: first)
            try consumer.unassign()
            let reader = try Self.reader(consumer, at: 5)
            #expect(Self.offsets(of: reader, consumer) == Array(5..<Self.count))
        }
    }

    private static let begins: [(Int64?, Int64)] = [
        (nil, 4), (LogReader.beginning, 4), (LogReader.end, 30), (7, 7), (1, 4),
    ]

    @Test(arguments: Self.begins)
    func beginsWhereItIsTold(_ first: Int64?, _ begin: Int64) async throws {
        try await Self.withRecords { broker, consumer in
            #expect(try RawClient(broker).deleteRecords(of: "t", before: 4).error == ErrorCode.none)
            let reader = try Self.reader(consumer, at: first)
            #expect(Self.offsets(of: reader, consumer) == Array(begin..<Self.count))
        }
    }

    /// A partition without a leader must not keep the others waiting. A guess at its end would lose records.
    @Test func readsFromTheBeginningIfTheClusterDoesNotTellIt() async throws {
        try await Self.withRecords { broker, consumer in
            #expect(try RawClient(broker).deleteRecords(of: "t", before: 4).error == ErrorCode.none)
            _ = try consumer.metadata(atMost: .seconds(10))
            var faults = BrokerFaults()
            faults.latency = .milliseconds(500) ... .milliseconds(500)
            try await broker.setFaults(faults)
            #expect(throws: KafkaError.self) {
                try Self.reader(consumer, at: LogReader.end, atMost: .milliseconds(50))
            }
            let reader = try Self.reader(consumer, at: nil, atMost: .milliseconds(50))
            try await broker.setFaults(BrokerFaults())
            #expect(Self.offsets(of: reader, consumer) == Array(4..<Self.count))
        }
    }

    // MARK: - Rig

    /// Runs the body with a topic of `count` records, and a consumer that gets one of them with each answer.
    private static func withRecords(_ body: (EmbeddedBroker, Consumer) async throws -> Void) async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            for number in 0..<Self.count {
                let record = OutboundRecord(topic: "t", value: [UInt8(number)], partition: 0)
                #expect(try publish([record], to: broker) == [nil])
            }
            let consumer = try Consumer([
                "bootstrap.servers": broker.address, "group.id": "g", "auto.offset.reset": "earliest",
                "fetch.message.max.bytes": "1", "enable.partition.eof": "true",
            ])
            try await body(broker, consumer)
            try consumer.unassign()
        }
    }

    private static func reader(
        _ consumer: Consumer,
        at offset: Int64?,
        atMost longest: Duration = .seconds(10)
    ) throws -> PartitionReader {
        let position = CommittedPosition(partition: Self.partition, offset: offset)
        return try #require(try consumer.assign([position], atMost: longest).first)
    }

    /// The offsets of all records until the end of the topic.
    private static func offsets(of reader: PartitionReader, _ consumer: Consumer) -> [Int64] {
        var offsets: [Int64] = []
        var wait = Wait(on: [consumer.descriptor])
        let deadline = ContinuousClock.now + .seconds(60)
        while reader.end < Self.count, ContinuousClock.now < deadline {
            wait(atMost: .milliseconds(20))
            consumer.serve { _ in }
            _ = reader.read(atMost: 100, { offsets.append($0.offset) }, { _ in })
        }
        return offsets
    }
}
