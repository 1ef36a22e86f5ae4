import Kafka
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MetadataTests {
    @Test func theClustersTopicsAndPartitionsAreCounted() throws {
        let cluster = try MockCluster(brokers: 3)
        try cluster.createTopic("one", partitions: 1)
        try cluster.createTopic("six", partitions: 6)
        let admin = try Admin(["bootstrap.servers": cluster.bootstrapServers])
        #expect(try admin.metadata(atMost: .seconds(10)).partitionCounts == ["one": 1, "six": 6])
        #expect(cluster.bootstrapServers.split(separator: ",").count == 3)
    }

    /// The mock cluster has no such request, and neither have some proxies: that is an error and no empty answer.
    @Test func aClusterThatCannotBeAskedForSettingsIsAnError() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("one", partitions: 1)
        let consumer = try Consumer(["bootstrap.servers": cluster.bootstrapServers, "group.id": "g"])
        #expect(throws: KafkaError.self) { try consumer.settings(of: ["one"], atMost: .seconds(5)) }
        #expect(try consumer.settings(of: [], atMost: .seconds(5)) == [:])
    }

    @Test func aClusterThatIsNotThereIsAnError() throws {
        let servers = try MockCluster().bootstrapServers
        let admin = try Admin(["bootstrap.servers": servers])
        #expect(throws: KafkaError.self) { try admin.metadata(atMost: .milliseconds(500)) }
        #expect(throws: KafkaError.self) { try admin.createTopics(["a": 1], atMost: .milliseconds(500)) }
    }
}
