import Foundation
import Kafka
import Records

/// A Kafka cluster for one test, with topics of its own: the embedded broker, or the one that
/// `FLOTILLA_TEST_BROKERS` names, where the topics have unique names and are deleted afterwards.
final class TestCluster {
    let brokers: String
    let topics: [String]
    let input: String
    var results: String { "\(self.input).result" }
    var deadLetters: String { "\(self.input).dead-letter" }

    private let embedded: MockCluster?
    private let admin: Admin?

    init(partitions: Int = 4, withDeadLetters: Bool = true) throws {
        self.input = "flotilla-test-\(UUID().uuidString.lowercased())"
        let names = [self.input, "\(self.input).result"] + (withDeadLetters ? ["\(self.input).dead-letter"] : [])
        self.topics = names
        if let brokers = ProcessInfo.processInfo.environment["FLOTILLA_TEST_BROKERS"], !brokers.isEmpty {
            self.embedded = nil
            self.brokers = brokers
            let admin = try Admin(["bootstrap.servers": brokers])
            self.admin = admin
            try admin.createTopics(
                Dictionary(uniqueKeysWithValues: names.map { ($0, partitions) }),
                atMost: .seconds(30)
            )
        } else {
            let cluster = try MockCluster()
            for name in names { try cluster.createTopic(name, partitions: partitions) }
            self.embedded = cluster
            self.admin = nil
            self.brokers = cluster.bootstrapServers
        }
    }

    /// Removes what this test made on a cluster that stays.
    func remove() throws { try self.admin?.deleteTopics(self.topics, atMost: .seconds(30)) }

    var isEmbedded: Bool { self.embedded != nil }

    /// Publishes records and waits until the cluster has them all.
    func publish(_ records: [OutboundRecord]) throws {
        let producer = try Producer(
            ["bootstrap.servers": self.brokers, "linger.ms": "5", "message.max.bytes": "10000000"]
        )
        var acknowledged = 0
        var failures: [KafkaError] = []
        func serve() {
            producer.serve { event in
                guard case .reported(_, let error) = event else { return }
                acknowledged += 1
                if let error { failures.append(error) }
            }
        }
        for (index, record) in records.enumerated() {
            while true {
                do {
                    try producer.send(record, id: UInt64(index))
                    break
                } catch where error.code == .queueFull {
                    _ = producer.flush(atMost: .seconds(1))
                    serve()
                }
            }
        }
        while acknowledged < records.count, producer.flush(atMost: .seconds(30)) { serve() }
        serve()
        if let failure = failures.first { throw failure }
        guard acknowledged == records.count else { throw NotAcknowledged(missing: records.count - acknowledged) }
    }

    struct NotAcknowledged: Error { var missing: Int }
}
