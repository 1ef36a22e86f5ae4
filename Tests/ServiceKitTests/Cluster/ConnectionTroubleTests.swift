import EmbeddedBroker
import EventThread
import Kafka
import Testing
import WorkerTestSupport

@testable import ServiceKit

/// The causes why a client cannot connect are told apart, by what librdkafka really says against a listener.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConnectionTroubleTests {
    private enum Listener { case plaintext, sasl, tls, mutual }

    private static func start(_ listener: Listener, _ authority: TestAuthority) async throws -> EmbeddedBroker
    {
        var settings = BrokerSettings()
        if listener == .sasl {
            settings.security.passwords = ["alice": "secret"]
            settings.security.mechanisms = [.plain, .scramSHA512]
        }
        if listener == .tls || listener == .mutual {
            let server = try authority.certificate("server", subject: "/CN=broker")
            settings.security.tls = BrokerSecurity.TLS(
                certificateFile: server.file,
                keyFile: server.key,
                clientAuthorityFile: listener == .mutual ? authority.file : nil
            )
        }
        return try await EmbeddedBroker.start(settings)
    }

    /// Returns the sentence about the first trouble of a client with these properties.
    private static func sentence(_ properties: [String: String], _ broker: EmbeddedBroker) async throws
        -> String
    {
        let own = ["bootstrap.servers": broker.address, "log_level": "0", "group.id": "g"]
        return try await EventThread.run {
            var sentence = ""
            try KafkaBroker.connected(
                consumer: own.merging(properties) { $1 },
                producer: ["bootstrap.servers": broker.address, "log_level": "0"].merging(properties) { $1 }
            ) { broker in
                let notes = ClusterNotes(logger: nil)
                let deadline = Moment.now.after(.seconds(10))
                var wait = Wait(on: [broker.consumer.descriptor, broker.producer.descriptor])
                while notes.connectionTrouble == nil, Moment.now.monotonic < deadline {
                    wait(atMost: .milliseconds(200))
                    try notes.take(from: broker)
                }
                sentence = notes.connectionTrouble ?? notes.lastWords ?? "nothing"
            }
            return sentence
        }
    }

    /// The words are librdkafka's. No test asks a resolver: it may take its time.
    @Test(arguments: [
        (
            "a:9092/bootstrap: Failed to resolve 'kafka.nowhere:9092': Name or service not known",
            "kafka.nowhere:9092"
        ),
        ("Local: Host resolution failure", "the name of a broker"),
    ])
    func aNameThatCannotBeResolvedIsNamed(words: String, name: String) {
        let trouble = ConnectionTrouble(KafkaError(code: .unresolved, message: words))
        #expect(trouble?.sentence.hasPrefix("kafka.brokers: \(name) cannot be resolved") == true)
    }

    private static let sasl = [
        "security.protocol": "sasl_plaintext", "sasl.mechanisms": "PLAIN", "sasl.username": "alice",
        "sasl.password": "wrong",
    ]

    @Test func theSettingToLookAtIsNamed() async throws {
        let authority = try TestAuthority()
        let stranger = try TestAuthority()
        let foreign = try stranger.certificate("client", subject: "/CN=client")
        let tls = ["security.protocol": "ssl", "ssl.ca.location": authority.file]
        let scram = Self.sasl.merging(["sasl.mechanisms": "SCRAM-SHA-512"]) { $1 }
        let mechanism = Self.sasl.merging(["sasl.mechanisms": "SCRAM-SHA-256"]) { $1 }
        let unknown = tls.merging(["ssl.ca.location": stranger.file]) { $1 }
        let uninvited = tls.merging(
            ["ssl.certificate.location": foreign.file, "ssl.key.location": foreign.key]
        ) { $1 }
        let cases: [(Listener, [String: String], String)] = [
            (.sasl, Self.sasl, "kafka.properties sasl.username, sasl.password: "),
            (.sasl, scram, "kafka.properties sasl.username, sasl.password: "),
            (.sasl, mechanism, "kafka.properties sasl.mechanisms: "),
            (.sasl, [:], "kafka.properties security.protocol: the broker closes the connection of"),
            (.plaintext, Self.sasl, "kafka.properties security.protocol: the broker takes no SASL here"),
            (.plaintext, tls, "kafka.properties security.protocol: it has TLS"),
            (.tls, [:], "kafka.properties security.protocol: the broker closes the connection at"),
            (.tls, unknown, "kafka.properties ssl.ca.location: "),
            (.mutual, tls, "kafka.properties ssl.certificate.location, ssl.key.location: "),
            (.mutual, uninvited, "kafka.properties ssl.certificate.location, ssl.key.location: "),
        ]
        for (listener, properties, expected) in cases {
            let broker = try await Self.start(listener, authority)
            let sentence = try await Self.sentence(properties, broker)
            #expect(sentence.hasPrefix(expected), "\(listener) \(properties): \(sentence)")
            await broker.stop()
        }
    }
}
