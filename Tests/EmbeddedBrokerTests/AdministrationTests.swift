import Kafka
import Records
import Testing

@testable import EmbeddedBroker

@Suite(.serialized, .timeLimit(.minutes(10)))
struct AdministrationTests {
    @Test func topicsAreCreatedAndDeleted() async throws {
        try await withBroker { broker in
            let admin = try Admin(["bootstrap.servers": broker.address])
            try admin.createTopics(["a": 3, "b": 1], atMost: .seconds(10))
            #expect(try admin.metadata(atMost: .seconds(10)).partitionCounts == ["a": 3, "b": 1])
            let again = #expect(throws: KafkaError.self) {
                try admin.createTopics(["a": 3], atMost: .seconds(10))
            }
            #expect(again?.code == .topicAlreadyExists)
            #expect(throws: KafkaError.self) { try admin.createTopics(["no/topic": 1], atMost: .seconds(10)) }
            #expect(throws: KafkaError.self) {
                try admin.createTopics(["c": 1], replicationFactor: 2, atMost: .seconds(10))
            }
            try admin.deleteTopics(["a"], atMost: .seconds(10))
            #expect(try admin.metadata(atMost: .seconds(10)).partitionCounts == ["b": 1])
            #expect(throws: KafkaError.self) { try admin.deleteTopics(["a"], atMost: .seconds(10)) }
        }
    }

    @Test func aTopicTellsItsSettings() async throws {
        try await withBroker { broker in
            let settings = ["retention.ms": "1000", "cleanup.policy": "compact", "min.insync.replicas": "2"]
            try await broker.createTopic("t", partitions: 1, settings: settings)
            let told = try RawClient(broker).settings(of: "t")
            #expect(told.filter { settings[$0.key] != nil } == settings)
            #expect(told["max.message.bytes"] == "1048588")
            let consumer = try Consumer(["bootstrap.servers": broker.address, "group.id": "g"])
            // The answer leaves out a topic that does not exist.
            let some = try consumer.settings(of: ["t", "u"], atMost: .seconds(10))
            #expect(some.keys.sorted() == ["t"])
            #expect(some["t"]?["cleanup.policy"] == "compact" && some["t"]?.number("retention.ms") == 1_000)
            #expect(some["t"]?["no.such.setting"] == nil && some["t"]?.number("cleanup.policy") == nil)
            await #expect(throws: TopicConfiguration.InvalidSetting.self) {
                try await broker.createTopic("u", partitions: 1, settings: ["retention.ms": "soon"])
            }
            await #expect(throws: TopicConfiguration.InvalidSetting.self) {
                try await broker.createTopic("u", partitions: 1, settings: ["no.such.setting": "1"])
            }
            await #expect(throws: EmbeddedBroker.TopicRefused.self) {
                try await broker.createTopic("t", partitions: 1)
            }
        }
    }

    /// There is one replica, so a topic that asks for two takes nothing from a producer that wants to be sure.
    @Test func tooFewReplicasAreTooFew() async throws {
        try await withBroker { broker in
            try await broker.createTopic("t", partitions: 1, settings: ["min.insync.replicas": "2"])
            let record = [OutboundRecord(topic: "t", value: [1])]
            let sure = try publish(record, to: broker, ["message.timeout.ms": "1000"])
            #expect(sure.allSatisfy { $0 != nil })
            let unsure = try publish(record, to: broker, ["enable.idempotence": "false", "acks": "1"])
            #expect(unsure == [nil])
            #expect(try contents(of: "t", broker).count == 1)
        }
    }

    @Test func recordsBeforeAnOffsetAreDeleted() async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            let records = (0..<10).map { OutboundRecord(topic: "t", value: [UInt8($0)]) }
            _ = try publish(records, to: broker)
            let client = try RawClient(broker)
            #expect(try client.deleteRecords(of: "t", before: 11).error == .offsetOutOfRange)
            let deletion = try client.deleteRecords(of: "t", before: 4)
            #expect(deletion.error == ErrorCode.none)
            #expect(deletion.startOffset == 4)
            #expect(try contents(of: "t", broker).map(\.offset) == [4, 5, 6, 7, 8, 9])
            #expect(try client.deleteRecords(of: "t", before: -1).startOffset == 10)
            #expect(try contents(of: "t", broker).isEmpty)
        }
    }

    @Test func groupsAreListedDescribedAndDeleted() async throws {
        try await withBroker(topics: ["a": 1, "b": 1]) { broker in
            let member = try RawMember(broker, group: "workers")
            let error = try member.join()
            #expect(error == ErrorCode.none)
            #expect(try member.sync([member.id: [7]]).error == ErrorCode.none)
            #expect(try member.commit("b", 2) == ErrorCode.none)
            #expect(try member.commit("a", 1) == ErrorCode.none)
            let client = try RawClient(broker)
            #expect(try client.groups() == ["workers": "consumer"])
            let group = try client.describe("workers")
            #expect(group.state == "Stable")
            #expect(group.assignments == [member.id: [7]])
            #expect(try client.describe("nobody").state == "Dead")
            #expect(try client.committedOffsets("workers") == ["a": [1], "b": [2]])
            #expect(try client.delete("workers") == .nonEmptyGroup)
            #expect(try member.leave() == ErrorCode.none)
            #expect(try client.describe("workers").state == "Empty")
            #expect(try client.delete("workers") == ErrorCode.none)
            #expect(try client.delete("workers") == .groupIDNotFound)
            #expect(try client.committedOffsets("workers").isEmpty)
        }
    }

    @Test func settingsThatMakeNoSenseAreRefused() async throws {
        var settings = BrokerSettings()
        settings.bytesPerPartition = 0
        let error = await #expect(throws: BrokerSettings.OutOfBounds.self) {
            try await EmbeddedBroker.start(settings)
        }
        #expect(error?.setting == "bytesPerPartition")
    }

    @Test func refusedConnectionsComeBackWhenTheyMay() async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            var faults = BrokerFaults()
            faults.refusesConnections = true
            let before = try RawClient(broker)
            _ = try before.call(.apiVersions, 0) { _ in }
            try await broker.setFaults(faults)
            #expect(try RawClient(broker).isClosed)
            _ = try before.call(.apiVersions, 0) { _ in }
            try await broker.cutConnections()
            #expect(before.isClosed)
            try await broker.setFaults(BrokerFaults())
            #expect(try publish([OutboundRecord(topic: "t", value: [1])], to: broker) == [nil])
        }
    }

    @Test func aStoppedBrokerIsGone() async throws {
        let broker = try await EmbeddedBroker.start()
        let client = try RawClient(broker)
        _ = try client.call(.apiVersions, 0) { _ in }
        await broker.stop()
        #expect(client.isClosed)
        #expect(throws: RawClient.Failure.self) { try RawClient(broker) }
        await broker.stop()
    }
}
