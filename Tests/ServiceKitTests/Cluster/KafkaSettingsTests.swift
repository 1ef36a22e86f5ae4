import Kafka
import Operations
import Testing

@testable import ServiceKit

struct KafkaSettingsTests {
    private static func settings(_ lines: String...) throws -> KafkaSettings {
        let text = (["kafka:", "  brokers: 127.0.0.1:9092"] + lines.map { "  \($0)" }).joined(separator: "\n")
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "worker.yaml"), overrides: [])
        let identity = WorkerIdentity(name: "test-worker", topic: "test", upstream: "nobody")
        let settings = KafkaSettings(reader.section("kafka"), identity)
        try reader.finish()
        return settings
    }

    @Test func aNameInTheGroupIsTheConsumersOwnAndAThreadsOwn() throws {
        let settings = try Self.settings("instance: receipt-0")
        let name = "group.instance.id"
        #expect(settings.consumerProperties()[name] == "receipt-0")
        #expect(settings.consumerProperties(thread: 3)[name] == "receipt-0-3")
        #expect(settings.readerProperties[name] == nil)
        #expect(settings.producerProperties(transactionalID: settings.transactionalID())[name] == nil)
        #expect(try Self.settings().consumerProperties(thread: 3)[name] == nil)
    }

    /// Its transactions go on under its name, and end what it had left open; without a name they end by themselves.
    @Test func transactionsAreCalledAfterTheInstance() throws {
        let settings = try Self.settings("instance: receipt-0", "group: g")
        #expect(settings.transactionalID() == "g/receipt-0")
        #expect(settings.transactionalID(thread: 1) == "g/receipt-0-1")
        let nameless = try Self.settings()
        #expect(nameless.transactionalID() != nameless.transactionalID())
    }

    @Test(arguments: ["a/b", "ä", ".", "..", String(repeating: "x", count: 241)])
    func aNameThatKafkaWouldNotTakeIsRefused(name: String) {
        #expect(throws: SettingsFaults.self) { try Self.settings("instance: '\(name)'") }
    }

    /// The worker once found out when it started, and ended.
    @Test(arguments: ["1s", "15s", "10m", "30m"])
    func aSessionOfAnyLengthIsOneThatLibrdkafkaTakes(session: String) throws {
        let properties = try Self.settings("session_timeout: \(session)").consumerProperties()
        #expect(ClientProperty.objection(to: properties) == nil)
    }

    @Test(arguments: [
        ("receive.message.max.bytes", "1000"), ("fetch.max.bytes", "2000000000"),
    ])
    func propertiesThatContradictEachOtherAreFoundHere(name: String, value: String) throws {
        let objection = "`receive.message.max.bytes` must be >= `fetch.max.bytes` + 512"
        let faults = try #require(throws: SettingsFaults.self) {
            try Self.settings("properties: [{name: \(name), value: \(value)}]")
        }
        #expect(faults.faults.map(\.problem) == [objection])
    }

    @Test func aNameAmongThePropertiesIsRefused() {
        #expect(throws: SettingsFaults.self) {
            try Self.settings("properties: [{name: group.instance.id, value: x}]")
        }
    }
}
