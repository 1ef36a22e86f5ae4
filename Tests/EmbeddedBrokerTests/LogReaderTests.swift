import EventThread
import Kafka
import Records
import Testing

@testable import EmbeddedBroker

/// The questions of `LogReader` to a cluster that does not always answer.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LogReaderTests {
    private static let first = Kafka.TopicPartition(topic: "t", partition: 0)
    private static let second = Kafka.TopicPartition(topic: "t", partition: 1)

    @Test func tellsWherePartitionsBeginAndEnd() async throws {
        try await withBroker(topics: ["t": 2]) { broker in
            let records = (0..<10).map { OutboundRecord(topic: "t", value: [UInt8($0)], partition: 0) }
            #expect(try publish(records, to: broker).allSatisfy { $0 == nil })
            #expect(try RawClient(broker).deleteRecords(of: "t", before: 4).error == ErrorCode.none)
            let log = try LogReader(["bootstrap.servers": broker.address])
            #expect(try log.bounds(of: Self.first, atMost: .seconds(10)) == 4..<10)
            let all = try log.bounds(of: [Self.first, Self.second], atMost: .seconds(10))
            #expect(all == [Self.first: 4..<10, Self.second: 0..<0])
            #expect(try log.bounds(of: [], atMost: .seconds(10)).isEmpty)
            #expect(throws: KafkaError.self) {
                try log.bounds(of: Kafka.TopicPartition(topic: "t", partition: 2), atMost: .seconds(2))
            }
        }
    }

    /// Gone, or there and without an answer.
    @Test(arguments: [true, false])
    func waitsNoLongerThanItIsTold(leaderIsGone: Bool) async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            let log = try LogReader(["bootstrap.servers": broker.address])
            // From here on it knows who the leader is, and does not have to ask for that.
            #expect(try log.bounds(of: Self.first, atMost: .seconds(10)) == 0..<0)
            var faults = BrokerFaults()
            faults.refusesConnections = leaderIsGone
            if !leaderIsGone { faults.latency = .seconds(4) ... .seconds(4) }
            try await broker.setFaults(faults)
            if leaderIsGone { try await broker.cutConnections() }
            // Else a question without an end would leave the test without one.
            let isAnswered = Doorbell()
            async let rescue: Void = {
                _ = try await EventThread.run {
                    var wait = Wait(on: [isAnswered.descriptor])
                    return wait(atMost: .seconds(5))
                }
                try await broker.setFaults(BrokerFaults())
            }()
            let start = ContinuousClock.now
            #expect(throws: KafkaError.self) { try log.bounds(of: Self.first, atMost: .milliseconds(500)) }
            #expect(ContinuousClock.now - start < .seconds(3))
            isAnswered.ring()
            try await rescue
            #expect(try log.bounds(of: Self.first, atMost: .seconds(30)) == 0..<0)
        }
    }
}
