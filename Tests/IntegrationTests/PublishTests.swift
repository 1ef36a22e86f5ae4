import Foundation
import Kafka
import Testing
import WorkerTestSupport

/// `fleet publish` to a topic that does not exist, as a user sees it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PublishTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        self.folder = try TemporaryFolder()
        self.file = try self.folder.write("{\"n\":1}\n{\"n\":2}\n", to: "records.jsonl")
    }

    private func publish(to topic: String, at brokers: String, _ options: String...) throws
        -> CommandUnderTest
    {
        let arguments = ["publish", topic, "--brokers", brokers, "--file", self.file.path]
        return try CommandUnderTest(arguments + options, of: "fleet")
    }

    private func partitions(of topic: String, at brokers: String) throws -> Int? {
        let admin = try Admin(["bootstrap.servers": brokers, "log_level": "0"])
        return try admin.metadata(atMost: .seconds(30)).partitionCounts[topic]
    }

    @Test func aTopicIsMadeOnlyIfTheUserSaysSo() async throws {
        let cluster = try await TestCluster.transactional()
        let topic = "\(cluster.input).further"
        let refused = try self.publish(to: topic, at: cluster.brokers)
        #expect(refused.exitStatus() == 1)
        #expect(refused.waitForLine("the topic '\(topic)' does not exist"), "\(refused.text)")
        #expect(refused.text.contains("fleet publish \(topic) --brokers \(cluster.brokers) --create\n"))
        #expect(refused.text.count { $0 == "\n" } == 1, "\(refused.text)")
        #expect(try self.partitions(of: topic, at: cluster.brokers) == nil)

        let made = try self.publish(to: topic, at: cluster.brokers, "--create", "--partitions", "3")
        #expect(made.exitStatus() == 0, "\(made.text)")
        #expect(made.waitForLine("the topic '\(topic)' is made (partitions: 3)\n"), "\(made.text)")
        #expect(made.waitForLine("2 records published to \(topic)\n"), "\(made.text)")
        #expect(try self.partitions(of: topic, at: cluster.brokers) == 3)

        // A topic that is there is published to, with --create and without, and is not made again.
        for options in [[], ["--create"]] {
            let again = try CommandUnderTest(
                ["publish", topic, "--brokers", cluster.brokers, "--file", self.file.path] + options,
                of: "fleet"
            )
            #expect(again.exitStatus() == 0, "\(again.text)")
            #expect(again.waitForLine("2 records published to \(topic)\n"), "\(again.text)")
            #expect(!again.text.contains("is made"))
        }
        try await cluster.end()
    }

    /// librdkafka's mock broker makes a topic of any request for its metadata, as one with auto.create.topics.enable.
    @Test(.enabled(if: TestCluster.isEmbedded))
    func aBrokerThatMakesTopicsIsNotMadeToMakeOne() throws {
        let cluster = try MockCluster()
        let refused = try self.publish(to: "activaton", at: cluster.bootstrapServers)
        #expect(refused.exitStatus() == 1)
        #expect(refused.waitForLine("the topic 'activaton' does not exist"), "\(refused.text)")
        #expect(try self.partitions(of: "activaton", at: cluster.bootstrapServers) == nil)
    }

    @Test func aClusterThatDoesNotAnswerIsToldInOneLine() throws {
        let refused = try self.publish(to: "activation", at: "127.0.0.1:9")
        #expect(refused.exitStatus() == 1)
        #expect(
            refused.waitForLine("fleet publish: no answer from 127.0.0.1:9: no connection to a broker"),
            "\(refused.text)"
        )
        #expect(refused.text.count { $0 == "\n" } == 1, "\(refused.text)")
    }

    /// The reader once said `Local: Broker transport failure (librdkafka -195)`.
    @Test func aReaderWithoutAClusterSaysSoInOneLine() throws {
        let arguments = ["read", "activation", "--brokers", "127.0.0.1:9", "--from-beginning"]
        let reader = try CommandUnderTest(arguments, of: "fleet")
        #expect(reader.exitStatus() == 1)
        #expect(reader.waitForLine("fleet read: no answer from 127.0.0.1:9: no connection to a broker\n"))
        #expect(reader.text.count { $0 == "\n" } == 1, "\(reader.text)")
    }
}
