import EmbeddedBroker
import EventThread
import Foundation
import Kafka
import Records
import Testing
import WorkerTestSupport

/// A broker that speaks TLS and SCRAM-SHA-512, and allows a worker what the documents say that it needs.
final class SecureCluster: Sendable {
    /// A row of a table of rights.
    struct Row: Sendable, Equatable {
        var operation: String
        var kind: String
        var name: String
        var isNeeded: Bool
    }

    let broker: EmbeddedBroker
    private let authority: TestAuthority
    private let folder: TemporaryFolder
    private let rows: [Row]

    /// - Parameters:
    ///   - worker: The worker whose rights are read from the documents.
    ///   - partitions: Their number for each topic among them.
    init(of worker: String, partitions: Int = 2) async throws {
        let authority = try TestAuthority()
        let server = try authority.certificate("server", subject: "/CN=broker")
        var settings = BrokerSettings()
        settings.automaticPartitions = nil
        settings.security.passwords = ["worker": "worker-secret", "admin": "admin-secret"]
        settings.security.tls = BrokerSecurity.TLS(certificateFile: server.file, keyFile: server.key)
        settings.security.rules = []
        self.authority = authority
        self.folder = try TemporaryFolder()
        self.rows = try Self.rows(of: worker)
        self.broker = try await EmbeddedBroker.start(settings)
        for topic in Set(self.rows.filter { $0.kind == "topic" }.map(\.name)) {
            let policy = ["changelog", "parked", "parts", "stats"].contains { topic.hasSuffix($0) }
            try await self.broker.createTopic(
                topic,
                partitions: partitions,
                settings: policy ? ["cleanup.policy": "compact"] : [:]
            )
        }
    }

    /// The rights that the worker needs.
    var needed: [Row] { self.rows.filter(\.isNeeded) }

    /// Allows the worker these rights, and the administrator everything.
    ///
    /// - Parameter describes: Whether the worker sees all topics besides.
    func allow(_ rows: [Row], describes: Bool = false) async throws {
        let all: [AccessRule] = [
            (.read, .topic), (.write, .topic), (.read, .group), (.write, .transactionalID),
        ].map { AccessRule("User:admin", $0, on: $1, named: .prefix("")) }
        let seen = describes ? [AccessRule("User:worker", .describe, on: .topic, named: .prefix(""))] : []
        try await self.broker.setRules(all + seen + rows.map(\.rule))
    }

    /// The lines of a settings file under `kafka`.
    func lines(password: String = "worker-secret") throws -> String {
        let file = try self.folder.write(password, to: "password-\(password)")
        return """
            brokers: \(self.broker.address)
              session_timeout: 6s
              start_limit: 1s
              properties:
                - {name: security.protocol, value: sasl_ssl}
                - {name: ssl.ca.location, value: \(self.authority.file)}
                - {name: sasl.mechanisms, value: SCRAM-SHA-512}
                - {name: sasl.username, value: worker}
                - {name: sasl.password, value_file: \(file.path)}
            """
    }

    /// Changes the worker's password, first at the brokers and then in the file of its settings, and cuts all connections.
    func changePassword(to password: String) async throws {
        try await self.broker.setPasswords(["worker": password, "admin": "admin-secret"])
        _ = try self.folder.write(password, to: "password-worker-secret")
        try await self.broker.cutConnections()
    }

    private var administrator: [String: String] {
        [
            "bootstrap.servers": self.broker.address, "security.protocol": "sasl_ssl",
            "ssl.ca.location": self.authority.file, "sasl.mechanisms": "SCRAM-SHA-512",
            "sasl.username": "admin", "sasl.password": "admin-secret", "log_level": "0",
        ]
    }

    /// Publishes a record, and waits until one of the topics has one, or so many.
    func publish(_ record: OutboundRecord, until topics: String..., have count: Int = 1) throws -> Bool {
        let producer = try Producer(self.administrator)
        try producer.send(record, id: 1)
        let reader = try TopicReader(topics, from: .beginning, self.administrator, atMost: .seconds(10))
        let deadline = ContinuousClock.now + .patience
        var found = 0
        var wait = Wait(on: [reader.descriptor, producer.descriptor])
        while ContinuousClock.now < deadline {
            producer.serve { if case .reported(_, let error?) = $0 { Issue.record("\(error)") } }
            _ = reader.read(atMost: 10) { _ in
                found += 1
            } _: {
                Issue.record($0)
            }
            if found >= count { return true }
            wait(atMost: .milliseconds(100))
        }
        return false
    }

    func stop() async { await self.broker.stop() }

    private static func rows(of worker: String) throws -> [Row] {
        try Documents.section("rights: \(worker)").split(separator: "\n").dropFirst(2).map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = cells[2].split(separator: "`").first.map(String.init) ?? ""
            return Row(operation: cells[0], kind: cells[1], name: name, isNeeded: cells[4] == "yes")
        }
    }
}

extension SecureCluster.Row {
    /// The right in the words of a worker.
    var words: String {
        let things = self.name.hasSuffix("*") ? "\(self.kind)s" : self.kind
        return "User:worker has no \(self.operation) on the \(things) '\(self.name)'"
    }

    fileprivate var rule: AccessRule {
        let operations: [String: AccessRule.Operation] = ["READ": .read, "WRITE": .write]
        let kinds: [String: AccessRule.Kind] = ["topic": .topic, "group": .group]
        let names: AccessRule.Names =
            self.name.hasSuffix("*") ? .prefix(String(self.name.dropLast())) : .literal(self.name)
        return AccessRule(
            "User:worker",
            operations[self.operation] ?? .describeConfigs,
            on: kinds[self.kind] ?? .transactionalID,
            named: names
        )
    }
}
