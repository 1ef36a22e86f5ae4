import Foundation
import Testing
import WorkerTestSupport

@testable import EmbeddedBroker

/// A client that shares nothing with librdkafka, kafka-python, over TLS and SASL and with rights: what this broker says is
/// Kafka's protocol, and not what one client takes for it. `FLOTILLA_TEST_PYTHON` names a Python that has kafka-python.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Interpreter.path != nil))
struct OtherClientTests {
    private static let script = """
        import sys
        from kafka import KafkaConsumer, KafkaProducer
        from kafka.errors import KafkaError
        address, authority, mechanism = sys.argv[1:4]
        def options(password):
            return dict(bootstrap_servers=address, security_protocol='SASL_SSL', ssl_cafile=authority,
                        sasl_mechanism=mechanism, sasl_plain_username='alice', sasl_plain_password=password)
        def error(act):
            try: act()
            except KafkaError as failure: return type(failure).__name__
            return 'none'
        producer = KafkaProducer(acks='all', enable_idempotence=False, **options('secret'))
        offset = producer.send('letters', key=b'k', value=b'v').get(20).offset
        consumer = KafkaConsumer('letters', group_id='team', auto_offset_reset='earliest',
                                 consumer_timeout_ms=20000, **options('secret'))
        record = next(consumer)
        consumer.commit()
        consumer.close()
        print('read', offset, record.key.decode(), record.value.decode())
        print('refused', error(lambda: producer.send('others', value=b'v').get(20)))
        """

    @Test(arguments: BrokerSecurity.Mechanism.allCases)
    func anotherClientIsLetInAndMayDoWhatTheRulesSay(mechanism: BrokerSecurity.Mechanism) async throws {
        let authority = try TestAuthority()
        let server = try authority.certificate("server", subject: "/CN=broker")
        var settings = BrokerSettings()
        settings.security.passwords = ["alice": "secret"]
        settings.security.tls = BrokerSecurity.TLS(certificateFile: server.file, keyFile: server.key)
        settings.security.rules = [
            AccessRule("User:alice", .write, on: .topic, named: .literal("letters")),
            AccessRule("User:alice", .read, on: .topic, named: .literal("letters")),
            AccessRule("User:alice", .describe, on: .topic, named: .literal("others")),
            AccessRule("User:alice", .read, on: .group, named: .literal("team")),
        ]
        try await withBroker(settings, topics: ["letters": 1, "others": 1]) { broker in
            let output = Pipe()
            let process = try TestProcess(
                Interpreter.path ?? "python3",
                ["-c", Self.script, broker.address, authority.file, mechanism.rawValue],
                output: .pipe(output),
                error: .pipe(output)
            )
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(process.wait() == 0, "\(text)")
            #expect(text.contains("read 0 k v\n"), "\(text)")
            #expect(text.contains("refused TopicAuthorizationFailedError\n"), "\(text)")
        }
    }
}

private enum Interpreter {
    static var path: String? { ProcessInfo.processInfo.environment["FLOTILLA_TEST_PYTHON"] }
}
