import CRdKafka
import Kafka
import Records
import Testing

@testable import EmbeddedBroker

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RecordTests {
    @Test(arguments: ["none", "gzip", "snappy", "lz4", "zstd"])
    func recordsComeBackAsTheyWereSent(codec: String) async throws {
        try await withBroker(topics: ["letters": 1]) { broker in
            let headers = [
                RecordHeader("a", "1"), RecordHeader("b", nil as [UInt8]?), RecordHeader("a", []),
                RecordHeader("", [0, 0xFF]),
            ]
            let sent = [
                OutboundRecord(
                    topic: "letters",
                    key: [1, 0],
                    value: [2],
                    headers: headers,
                    timestamp: 1_000
                ),
                OutboundRecord(topic: "letters", key: [], value: [], timestamp: 2_000),
                OutboundRecord(topic: "letters", key: nil, value: nil, timestamp: 1_500),
                OutboundRecord(
                    topic: "letters",
                    value: Array(repeating: 7, count: 100_000),
                    timestamp: 3_000
                ),
            ]
            let reports = try publish(sent, to: broker, ["compression.codec": codec])
            #expect(reports.allSatisfy { $0 == nil })
            let read = try contents(of: "letters", broker)
            #expect(read.map(\.key) == sent.map(\.key))
            #expect(read.map(\.value) == sent.map(\.value))
            #expect(read.map(\.headers) == sent.map(\.headers))
            #expect(read.map(\.timestamp) == sent.map(\.timestamp))
            #expect(read.map(\.offset) == [0, 1, 2, 3])
        }
    }

    /// On such a topic the time of a record is the broker's, whatever the publisher wrote, and the publisher learns it.
    @Test(arguments: ["none", "lz4"])
    func theBrokerPutsItsTimeOnRecords(codec: String) async throws {
        var settings = BrokerSettings()
        settings.clockLead = .seconds(-3_600)
        settings.automaticPartitions = nil
        try await withBroker(settings) { broker in
            try await broker.createTopic(
                "stamped",
                partitions: 1,
                settings: ["message.timestamp.type": "LogAppendTime"]
            )
            try await broker.createTopic("own", partitions: 1)
            let sent = (0..<3).map { OutboundRecord(topic: "stamped", value: [$0], timestamp: 1_000) }
            let before = WallClock(aheadBy: settings.clockLead).now()
            #expect(try publish(sent, to: broker, ["compression.codec": codec]).allSatisfy { $0 == nil })
            let after = WallClock(aheadBy: settings.clockLead).now()
            let times = try contents(of: "stamped", broker).map(\.timestamp)
            #expect(times.count == 3 && times.allSatisfy { (before...after).contains($0 ?? 0) })

            let clock = BrokerClock(["bootstrap.servers": broker.address], atMost: .seconds(30))
            let asked = WallClock(aheadBy: .zero).now()
            let stamped = OutboundRecord(topic: "stamped", value: nil, partition: 0)
            let own = OutboundRecord(topic: "own", value: nil, partition: 0)
            let missing = OutboundRecord(topic: "none", value: nil, partition: 0)
            // The answer may be slow, which makes the lead look smaller.
            let leads = try clock.times(writing: [stamped, own, stamped]).map { asked - $0 }
            #expect(leads.count == 2 && leads.allSatisfy { ((3_600_000 - 30_000)...3_600_000).contains($0) })
            #expect(try clock.times(writing: [own]) == [])
            let hasty = BrokerClock(["bootstrap.servers": broker.address], atMost: .seconds(2))
            #expect(throws: KafkaError.self) {
                try hasty.times(writing: [missing])
            }
            // A record that is taken tells its time, whatever becomes of another.
            #expect(try hasty.times(writing: [stamped, missing]).count == 1)
        }
    }

    /// Many producers whose first requests are refused, each alone: what they are told is there is there.
    @Test func whatIsAcknowledgedIsThereFromTheFirstRecordOn() async throws {
        try await withBroker(topics: ["numbers": 1]) { broker in
            var faults = BrokerFaults()
            faults.refusedProduceShare = 0.4
            faults.latency = .milliseconds(1) ... .milliseconds(5)
            try await broker.setFaults(faults)
            // One record a request, and several requests on their way.
            let properties = ["batch.num.messages": "1", "linger.ms": "0", "retry.backoff.ms": "5"]
            var acknowledged = 0
            for producer in 0..<40 {
                let sent = (0..<4).map {
                    OutboundRecord(topic: "numbers", value: Array("\(producer).\($0)".utf8))
                }
                acknowledged += try publish(sent, to: broker, properties).count { $0 == nil }
            }
            try await broker.setFaults(BrokerFaults())
            #expect(acknowledged == 160)
            #expect(Set(try values(of: "numbers", broker)).count == acknowledged)
        }
    }

    /// An idempotent producer's records are there once and in order, whatever the network does.
    @Test func cutConnectionsLoseRepeatAndReorderNothing() async throws {
        try await withBroker(topics: ["numbers": 1]) { broker in
            var faults = BrokerFaults()
            faults.unansweredProduceShare = 0.05
            faults.refusedProduceShare = 0.05
            faults.latency = .zero ... .milliseconds(3)
            try await broker.setFaults(faults)
            let sent = (0..<20_000).map { OutboundRecord(topic: "numbers", value: Array("\($0)".utf8)) }
            let reports = try publish(
                sent,
                to: broker,
                ["batch.num.messages": "100", "retry.backoff.ms": "1", "reconnect.backoff.ms": "1"],
                atMost: .seconds(100)
            )
            #expect(reports.allSatisfy { $0 == nil })
            let counts = try await broker.faultCounts()
            #expect(counts.unansweredProduces > 0)
            #expect(counts.refusedProduces > 0)
            try await broker.setFaults(BrokerFaults())
            #expect(try values(of: "numbers", broker) == sent.indices.map { "\($0)" })
        }
    }

    @Test func aRecordThatIsTooLargeIsRefused() async throws {
        try await withBroker { broker in
            try await broker.createTopic("small", partitions: 1, settings: ["max.message.bytes": "2000"])
            let record = OutboundRecord(topic: "small", value: Array(repeating: 1, count: 2_001))
            let reports = try publish([record], to: broker)
            #expect(reports.map { $0?.code } == [.messageTooLarge])
            #expect(try contents(of: "small", broker).isEmpty)
        }
    }

    @Test func theOldestGoesWhenAPartitionIsFull() async throws {
        try await withBroker { broker in
            try await broker.createTopic("ring", partitions: 1, settings: ["retention.bytes": "100000"])
            let sent = (0..<300).map { number in
                OutboundRecord(
                    topic: "ring",
                    key: Array("\(number)".utf8),
                    value: Array(repeating: 1, count: 1_000)
                )
            }
            _ = try publish(sent, to: broker, ["batch.num.messages": "10"])
            let read = try contents(of: "ring", broker)
            let first = try #require(read.first?.offset)
            #expect(read.map(\.offset) == Array(first..<300))
            // As many as fit, less at most one batch; the keys take some room, too.
            #expect(80...97 ~= read.count)
        }
    }

    /// Compressed records are not looked into: the first of their batch stands for all, too early and never too late.
    @Test(arguments: [("none", 1), ("gzip", 0)])
    func recordsAreFoundByTheirTime(codec: String, second: Int64) async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            let sent = [1_000, 3_000, 2_000].map { timestamp in
                OutboundRecord(topic: "t", value: Array(repeating: 1, count: 500), timestamp: timestamp)
            }
            // One batch: it is sent when all are there.
            _ = try publish(sent, to: broker, ["compression.codec": codec, "linger.ms": "200"])
            let client = try RawClient(broker)
            let found = try [500, 1_500, 3_001].map { try client.offset("t", 0, at: $0) }
            #expect(found == [0, second, -1])
            #expect(try client.offset("t", 0, at: -2) == 0)
            #expect(try client.offset("t", 0, at: -1) == 3)
        }
    }

    @Test func aTopicIsMadeOnFirstUseUnlessThatIsOff() async throws {
        try await withBroker { broker in
            _ = try publish([OutboundRecord(topic: "new", value: [1])], to: broker)
            #expect(try contents(of: "new", broker).count == 1)
            let admin = try Admin(["bootstrap.servers": broker.address])
            #expect(try admin.metadata(atMost: .seconds(10)).partitionCounts == ["new": 4])
        }
        var settings = BrokerSettings()
        settings.automaticPartitions = nil
        try await withBroker(settings) { broker in
            let reports = try publish(
                [OutboundRecord(topic: "new", value: [1])],
                to: broker,
                ["message.timeout.ms": "2000", "topic.metadata.propagation.max.ms": "0"]
            )
            #expect(reports.map { $0?.code.rawValue } == [RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART.rawValue])
        }
    }

    /// A fetch that waits is answered by what arrives, not by the end of its time.
    @Test func aWaitingReaderIsWokenByARecord() async throws {
        try await withBroker(topics: ["letters": 1]) { broker in
            let member = try NativeMember(
                broker,
                group: "g",
                topic: "letters",
                ["fetch.wait.max.ms": "30000"]
            )
            #expect(poll(member) { member.partitions == [0] })
            for round in 1...5 {
                _ = try publish([OutboundRecord(topic: "letters", value: [1])], to: broker)
                #expect(poll(member, atMost: .seconds(10)) { member.records.count == round })
            }
        }
    }
}
