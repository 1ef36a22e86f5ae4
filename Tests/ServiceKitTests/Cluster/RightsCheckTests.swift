import EmbeddedBroker
import EventThread
import Kafka
import Operations
import Testing
import WorkerTestSupport

@testable import ServiceKit

/// The rights of a client are asked for, and nothing is left behind.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RightsCheckTests {
    private static let topics = ["in", "in.result", "in.dead-letter", "in.parked", "in.retry"]

    private static func kafka(_ broker: EmbeddedBroker) throws -> KafkaSettings {
        let text = "kafka:\n  brokers: \(broker.address)\n  topic: in\n  group: team"
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "worker.yaml"), overrides: [])
        return KafkaSettings(
            reader.section("kafka"),
            WorkerIdentity(name: "worker", topic: "in", upstream: "up")
        )
    }

    private static func rights(_ kafka: KafkaSettings) -> [NeededRight] {
        var check = Preflight(
            inputTopic: "in",
            resultTopic: "in.result",
            deadLetterTopic: "in.dead-letter",
            parkedTopic: "in.parked",
            retryTiers: [RetryTier(topic: "in.retry", delay: .seconds(60))],
            deadline: .seconds(60),
            messageBytesLimit: 1_000_000
        )
        check.parkedPartitions = 1
        return NeededRight.rights(of: check, kafka, isTransactional: true)
    }

    /// Returns the faults that the check finds.
    private static func faults(_ rights: [NeededRight], _ kafka: KafkaSettings) async throws -> [String] {
        try await EventThread.run {
            var faults: [String] = []
            try KafkaBroker.connected(
                consumer: kafka.consumerProperties().merging(["log_level": "0"]) { $1 },
                producer: kafka.producerProperties().merging(["log_level": "0"]) { $1 }
            ) { broker in
                let notes = ClusterNotes(logger: nil)
                _ = try broker.consumer.metadata(atMost: .seconds(5))
                _ = try notes.settings(of: Self.topics, broker, atMost: .seconds(5))
                do {
                    try RightsCheck(kafka, of: broker, notes: notes, atMost: .seconds(5)).check(rights)
                } catch let failure as PreflightFailure {
                    faults = failure.faults
                }
            }
            return faults
        }
    }

    private static func withBroker(_ body: (EmbeddedBroker) async throws -> Void) async throws {
        var settings = BrokerSettings()
        settings.automaticPartitions = nil
        let broker = try await EmbeddedBroker.start(settings)
        for topic in Self.topics { try await broker.createTopic(topic, partitions: 2) }
        do {
            try await body(broker)
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    @Test func eachRightThatIsMissingIsNamedAndNoOther() async throws {
        try await Self.withBroker { broker in
            let kafka = try Self.kafka(broker)
            let rights = Self.rights(kafka)
            let needed = rights.filter { !$0.isOptional }
            #expect(needed.count == 9)
            try await broker.setRules(needed.map { $0.rule(for: "User:ANONYMOUS") })
            #expect(try await Self.faults(rights, kafka) == [])
            for missing in needed {
                let others = needed.filter { $0 != missing }
                // The rights to describe stay, because a topic that is not shown is missing for another reason.
                let describe = Self.topics.map {
                    AccessRule("User:ANONYMOUS", .describe, on: .topic, named: .literal($0))
                }
                try await broker.setRules(others.map { $0.rule(for: "User:ANONYMOUS") } + describe)
                let faults = try await Self.faults(rights, kafka)
                #expect(faults.count == 1, "\(faults)")
                #expect(
                    faults.first?.hasPrefix("User:ANONYMOUS has no \(missing.description) (") ?? false,
                    "\(missing.description): \(faults)"
                )
            }
        }
    }

    @Test func aGroupThatMayBeDescribedAloneIsNamed() async throws {
        try await Self.withBroker { broker in
            let kafka = try Self.kafka(broker)
            let needed = Self.rights(kafka).filter { !$0.isOptional }
            let rules = needed.dropFirst().map { $0.rule(for: "User:ANONYMOUS") }
            let describe = AccessRule("User:ANONYMOUS", .describe, on: .group, named: .literal("team"))
            try await broker.setRules(rules + [describe])
            let faults = try await Self.faults(needed, kafka)
            #expect(faults.count == 1 && faults[0].contains("has no READ on the group 'team'"), "\(faults)")
        }
    }

    /// No record is written, no offset is committed, no producer is fenced.
    @Test func theQuestionsLeaveNothingBehind() async throws {
        try await Self.withBroker { broker in
            let kafka = try Self.kafka(broker)
            #expect(try await Self.faults(Self.rights(kafka), kafka) == [])
            try await EventThread.run {
                let consumer = try Consumer(kafka.consumerProperties().merging(["log_level": "0"]) { $1 })
                defer { consumer.abandon() }
                for topic in Self.topics {
                    let partition = TopicPartition(topic: topic, partition: 0)
                    let committed = try consumer.committed([partition], atMost: .seconds(5))
                    #expect(committed.map(\.offset) == [nil])
                }
            }
            #expect(try await broker.endOffsets(of: Self.topics) == [0, 0, 0, 0, 0])
            #expect(try await broker.transactionalIDs().isEmpty)
        }
    }

    @Test func aClientThatMayWriteNothingIsToldOfEachTopic() async throws {
        try await Self.withBroker { broker in
            let kafka = try Self.kafka(broker)
            let needed = Self.rights(kafka).filter { !$0.isOptional }
            let reads = needed.filter { $0.operation == .read }
            let describe = Self.topics.map {
                AccessRule("User:ANONYMOUS", .describe, on: .topic, named: .literal($0))
            }
            try await broker.setRules(reads.map { $0.rule(for: "User:ANONYMOUS") } + describe)
            let faults = try await Self.faults(needed, kafka)
            #expect(faults.count == 5, "\(faults)")
            #expect(faults.allSatisfy { $0.contains("has no WRITE on the t") })
        }
    }
}

extension NeededRight {
    /// The rule of the embedded broker that grants it.
    fileprivate func rule(for principal: String) -> AccessRule {
        let operation: AccessRule.Operation =
            switch self.operation {
            case .read: .read
            case .write: .write
            case .describeConfigs: .describeConfigs
            }
        return switch self.resource {
        case .topic(let name): AccessRule(principal, operation, on: .topic, named: .literal(name))
        case .group(let name): AccessRule(principal, operation, on: .group, named: .literal(name))
        case .transactionalID(let id):
            AccessRule(principal, operation, on: .transactionalID, named: .literal(id))
        case .transactionalIDs(let prefix):
            AccessRule(principal, operation, on: .transactionalID, named: .prefix(prefix))
        }
    }
}
