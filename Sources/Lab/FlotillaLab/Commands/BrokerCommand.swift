import ArgumentParser
import EmbeddedBroker
import Fleet
import Harness
import Kafka
import Terminal

/// `flotilla-lab broker`: runs a Kafka cluster of one broker, in memory.
struct BrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker",
        abstract: "Run a broker in memory for trials, and print its address on the first line.",
        discussion: """
            With --kind mock it is librdkafka's mock broker: the Kafka protocol over TCP on 127.0.0.1, with \
            consumer groups, committed offsets and idempotent producers, and about 5 MB kept for each partition. The \
            mock broker has no transactions. With --kind embedded it is the embedded broker of 'flotilla-lab demo' and \
            'flotilla-lab chaos', which has transactions, as push-arrival-worker needs them, keeps at most 64 MB for each \
            partition, and takes orders to misbehave on standard input, a line of JSON each. Either broker forgets \
            everything when it ends, which it does on SIGTERM or SIGINT.
            """
    )

    @Option(
        name: .customLong("topic"),
        help: ArgumentHelp("A topic to create; can be repeated.", valueName: "name:partitions")
    )
    var topics: [TopicPlan] = Roster.topics

    /// The broker to run: librdkafka's mock broker, or the embedded broker, which has transactions.
    enum Kind: String, ExpressibleByArgument { case mock, embedded }

    @Option(help: "The broker to run: librdkafka's mock, or the embedded broker.")
    var kind = Kind.mock

    @OptionGroup var life: LifeOptions

    func run() async throws {
        try await self.complaining {
            switch self.kind {
            case .mock: try await self.runMock()
            case .embedded: try await self.runEmbedded()
            }
        }
    }

    private func runMock() async throws {
        let (topics, life) = (self.topics, self.life)
        try await StopWish.heard { wish in
            let cluster = try MockCluster()
            for topic in topics { try cluster.createTopic(topic.name, partitions: topic.partitions) }
            try life.announce(cluster.bootstrapServers)
            life.waitForTheEnd(wish)
            withExtendedLifetime(cluster) {}
        }
    }

    private func runEmbedded() async throws {
        let broker = try await EmbeddedBroker.start()
        for topic in self.topics {
            try await broker.createTopic(topic.name, partitions: topic.partitions, settings: topic.settings)
        }
        let life = self.life
        let (lines, heard) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(1_000)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await line in lines { try await BrokerOrder.carryOut(line, on: broker) }
            }
            group.addTask {
                defer { heard.finish() }
                try await StopWish.heard { wish in
                    try life.announce(broker.address)
                    life.waitForTheEnd(wish) { heard.yield($0) }
                }
            }
            try await group.waitForAll()
        }
        await broker.stop()
    }
}
