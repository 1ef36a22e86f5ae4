import CRdKafka
import EventThread
import Kafka
import Records
import Testing
import WorkerTestSupport

@testable import EmbeddedBroker

extension KafkaError.Code {
    /// A record could not be delivered within `message.timeout.ms`.
    fileprivate static let timedOutInQueue = Self(rawValue: RD_KAFKA_RESP_ERR__MSG_TIMED_OUT.rawValue)
}

/// Clients of librdkafka show who they are, and may do what the rules say.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SecurityTests {
    private static let record = OutboundRecord(topic: "letters", key: [1], value: [2])

    private static func sasl(_ mechanism: String, password: String) -> [String: String] {
        [
            "security.protocol": "sasl_plaintext", "sasl.mechanisms": mechanism, "sasl.username": "alice",
            "sasl.password": password, "message.timeout.ms": "3000", "log_level": "0",
        ]
    }

    private static func withUsers() -> BrokerSettings {
        var settings = BrokerSettings()
        settings.security.passwords = ["alice": "wonder,land=1", "bob": "builder"]
        return settings
    }

    @Test(arguments: BrokerSecurity.Mechanism.allCases)
    func aUserIsLetInByThePasswordAlone(mechanism: BrokerSecurity.Mechanism) async throws {
        try await withBroker(Self.withUsers(), topics: ["letters": 1]) { broker in
            let right = Self.sasl(mechanism.rawValue, password: "wonder,land=1")
            let accepted = try publish([Self.record], to: broker, right)
            #expect(accepted == [nil])
            for wrong in ["builder", "", "wonder,land="] {
                let properties = Self.sasl(mechanism.rawValue, password: wrong.isEmpty ? "x" : wrong)
                let refused = try publish([Self.record], to: broker, properties)
                #expect(refused.first??.code == .timedOutInQueue)
            }
        }
    }

    /// A password that changes at the brokers and in a file of the settings needs no new client.
    @Test(arguments: BrokerSecurity.Mechanism.allCases)
    func aChangedPasswordIsUsedFromTheNextConnectionOn(mechanism: BrokerSecurity.Mechanism) async throws {
        let user = "carol of \(mechanism.rawValue)"
        var settings = BrokerSettings()
        settings.security.passwords = [user: "first"]
        try await withBroker(settings, topics: ["letters": 1]) { broker in
            let properties = Self.sasl(mechanism.rawValue, password: "first").merging([
                "bootstrap.servers": broker.address, "sasl.username": user, "message.timeout.ms": "60000",
            ]) { $1 }
            let producer = try Producer(properties)
            let before = try Self.report(of: producer, 1)
            #expect(before == nil)
            try await broker.setPasswords([user: "second"])
            try await broker.cutConnections()
            let credentials = SASLCredentials(user: user, password: "first")
            try credentials.change(password: "second")
            let after = try Self.report(of: producer, 2)
            #expect(after == nil)
            // A client that is made later has the old properties.
            let later = try publish([Self.record], to: broker, properties, atMost: .seconds(90))
            #expect(later == [nil])
            try await broker.setPasswords(["dave": "third"])
            try await broker.cutConnections()
            try credentials.change(user: "dave")
            try credentials.change(password: "third")
            let renamed = try Self.report(of: producer, 3)
            #expect(renamed == nil)
        }
    }

    /// Sends a record, and waits for the broker's word on it.
    private static func report(of producer: Producer, _ number: UInt64) throws -> KafkaError? {
        try producer.send(self.record, id: number)
        let deadline = ContinuousClock.now + .seconds(90)
        var report: KafkaError??
        var wait = Wait(on: [producer.descriptor])
        while report == nil, ContinuousClock.now < deadline {
            wait(atMost: .milliseconds(100))
            producer.serve { event in if case .reported(number, let error) = event { report = .some(error) } }
        }
        return try #require(report)
    }

    @Test func aClientThatHasNotAuthenticatedItselfIsCutOff() async throws {
        try await withBroker(Self.withUsers(), topics: ["letters": 1]) { broker in
            let client = try RawClient(broker)
            var answer = try client.call(.apiVersions, 0) { _ in }
            let code = try answer.int16()
            #expect(code == 0)
            client.ask(.listGroups, 0) { _ in }
            #expect(client.isClosed)
        }
    }

    @Test func aMechanismThatIsNotOfferedIsRefusedWithTheOffer() async throws {
        var settings = Self.withUsers()
        settings.security.mechanisms = [.scramSHA512]
        try await withBroker(settings) { broker in
            let client = try RawClient(broker)
            var answer = try client.call(.saslHandshake, 1) { $0.string("PLAIN") }
            let code = try answer.int16()
            #expect(code == ErrorCode.unsupportedSaslMechanism.rawValue)
            let offer = try answer.array { (reader) throws(Malformed) in try reader.string() }
            #expect(offer == ["SCRAM-SHA-512"])
        }
    }

    @Test func aClientIsWhatItsCertificateSays() async throws {
        let authority = try TestAuthority()
        let server = try authority.certificate("server", subject: "/CN=broker")
        let client = try authority.certificate("client", subject: "/O=Example/CN=worker")
        var settings = BrokerSettings()
        settings.security.tls = BrokerSecurity.TLS(
            certificateFile: server.file,
            keyFile: server.key,
            clientAuthorityFile: authority.file
        )
        settings.security.rules = [
            AccessRule("User:CN=worker,O=Example", .write, on: .topic, named: .prefix("let"))
        ]
        try await withBroker(settings, topics: ["letters": 1, "others": 1]) { broker in
            let properties = [
                "security.protocol": "ssl", "ssl.ca.location": authority.file,
                "ssl.certificate.location": client.file, "ssl.key.location": client.key,
                "message.timeout.ms": "3000", "log_level": "0",
            ]
            let accepted = try publish([Self.record], to: broker, properties)
            #expect(accepted == [nil])
            let other = OutboundRecord(topic: "others", key: [1], value: [2])
            let refused = try publish([other], to: broker, properties)
            #expect(refused.first??.code == .topicNotAuthorized)
            let nameless = properties.filter { !$0.key.contains("certificate") && !$0.key.contains("key") }
            let unknown = try publish([Self.record], to: broker, nameless)
            #expect(unknown.first??.code == .timedOutInQueue)
        }
    }

    /// Each request with its error without the right, and without an error of rights with it.
    @Test(arguments: Self.requests)
    func aRequestNeedsTheRightThatKafkaAsksFor(request: Request) async throws {
        var settings = BrokerSettings()
        settings.security.rules = []
        try await withBroker(settings, topics: ["letters": 1]) { broker in
            let refusals: Set<Int16> = [29, 30, 31, 53]
            let error = try request.error(RawClient(broker))
            #expect(error == request.refusal.rawValue)
            try await broker.setRules(request.rules)
            let allowed = try request.error(RawClient(broker))
            #expect(!refusals.contains(allowed), "\(allowed)")
            for index in request.rules.indices {
                var fewer = request.rules
                fewer.remove(at: index)
                try await broker.setRules(fewer)
                let refused = try request.error(RawClient(broker))
                #expect(refusals.contains(refused), "\(fewer)")
            }
        }
    }

    struct Request: Sendable, CustomTestStringConvertible {
        var api: API
        var version: Int16
        var rules: [AccessRule]
        var refusal: ErrorCode
        var write: @Sendable (inout Writer) -> Void
        /// Reads the answer up to its error.
        var read: @Sendable (inout Reader) throws -> Int16

        var testDescription: String { "\(self.api)" }

        func error(_ client: RawClient) throws -> Int16 {
            var reader = try client.call(self.api, self.version, self.write)
            return try self.read(&reader)
        }
    }

    private static func rule(
        _ operation: AccessRule.Operation,
        _ kind: AccessRule.Kind,
        _ name: String
    ) -> AccessRule {
        AccessRule("User:ANONYMOUS", operation, on: kind, named: .literal(name))
    }

    private static let requests: [Request] = [
        Request(
            api: .listOffsets,
            version: 1,
            rules: [rule(.describe, .topic, "letters")],
            refusal: .topicAuthorizationFailed
        ) {
            $0.integer(Int32(-1))
            $0.array(["letters"]) { writer, name in
                writer.string(name)
                writer.array([Int32(0)]) { writer, index in
                    writer.integer(index)
                    writer.integer(Int64(-1))
                }
            }
        } read: { reader in
            _ = try (reader.int32(), reader.string(), reader.int32(), reader.int32())
            return try reader.int16()
        },
        Request(
            api: .findCoordinator,
            version: 0,
            rules: [rule(.describe, .group, "g")],
            refusal: .groupAuthorizationFailed
        ) {
            $0.string("g")
        } read: {
            try $0.int16()
        },
        Request(
            api: .findCoordinator,
            version: 1,
            rules: [rule(.write, .transactionalID, "t")],
            refusal: .transactionalIDAuthorizationFailed
        ) {
            $0.string("t")
            $0.integer(Int8(1))
        } read: { reader in
            _ = try reader.int32()
            return try reader.int16()
        },
        Request(
            api: .heartbeat,
            version: 0,
            rules: [rule(.read, .group, "g")],
            refusal: .groupAuthorizationFailed
        ) {
            $0.string("g")
            $0.integer(Int32(1))
            $0.string("m")
        } read: {
            try $0.int16()
        },
        Request(
            api: .leaveGroup,
            version: 0,
            rules: [rule(.read, .group, "g")],
            refusal: .groupAuthorizationFailed
        ) {
            $0.string("g")
            $0.string("m")
        } read: {
            try $0.int16()
        },
        Request(
            api: .offsetCommit,
            version: 2,
            rules: [rule(.read, .group, "g"), rule(.read, .topic, "letters")],
            refusal: .groupAuthorizationFailed
        ) {
            $0.string("g")
            $0.integer(Int32(-1))
            $0.string("")
            $0.integer(Int64(-1))
            $0.array(["letters"]) { writer, name in
                writer.string(name)
                writer.array([Int32(0)]) { writer, index in
                    writer.integer(index)
                    writer.integer(Int64(0))
                    writer.string("")
                }
            }
        } read: { reader in
            _ = try (reader.int32(), reader.string(), reader.int32(), reader.int32())
            return try reader.int16()
        },
        Request(
            api: .initProducerID,
            version: 1,
            rules: [rule(.write, .transactionalID, "t")],
            refusal: .transactionalIDAuthorizationFailed
        ) {
            $0.string("t")
            $0.integer(Int32(1_000))
        } read: { reader in
            _ = try reader.int32()
            return try reader.int16()
        },
        Request(
            api: .initProducerID,
            version: 1,
            rules: [rule(.write, .topic, "x")],
            refusal: .clusterAuthorizationFailed
        ) {
            $0.string(nil)
            $0.integer(Int32(1_000))
        } read: { reader in
            _ = try reader.int32()
            return try reader.int16()
        },
        Request(
            api: .addOffsetsToTransaction,
            version: 0,
            rules: [rule(.write, .transactionalID, "t"), rule(.read, .group, "g")],
            refusal: .transactionalIDAuthorizationFailed
        ) {
            $0.string("t")
            $0.integer(Int64(0))
            $0.integer(Int16(0))
            $0.string("g")
        } read: { reader in
            _ = try reader.int32()
            return try reader.int16()
        },
        Request(
            api: .endTransaction,
            version: 0,
            rules: [rule(.write, .transactionalID, "t")],
            refusal: .transactionalIDAuthorizationFailed
        ) {
            $0.string("t")
            $0.integer(Int64(0))
            $0.integer(Int16(0))
            $0.boolean(true)
        } read: { reader in
            _ = try reader.int32()
            return try reader.int16()
        },
        Request(
            api: .deleteTopics,
            version: 0,
            rules: [rule(.delete, .topic, "letters")],
            refusal: .topicAuthorizationFailed
        ) {
            $0.array(["letters"]) { $0.string($1) }
            $0.integer(Int32(0))
        } read: { reader in
            _ = try (reader.int32(), reader.string())
            return try reader.int16()
        },
        Request(
            api: .describeConfigs,
            version: 1,
            rules: [rule(.describeConfigs, .topic, "letters")],
            refusal: .topicAuthorizationFailed
        ) {
            $0.array(["letters"]) { writer, name in
                writer.integer(Int8(2))
                writer.string(name)
                writer.nullArray()
            }
            $0.boolean(false)
        } read: { reader in
            _ = try (reader.int32(), reader.int32())
            return try reader.int16()
        },
    ]
}
