import Kafka
import ServiceKit

/// The topics of a worker and the cluster that has them, or lacks them.
struct TopicsOfWorker {
    let wanted: [WantedTopic]
    let kafka: KafkaSettings
    let consumer: Consumer
    let defaults: TopicComparison.Defaults
    /// The longest time to wait for an answer of the cluster.
    let longest: Duration

    /// Reads the settings of a worker or the gateway, and connects to the cluster that they name.
    ///
    /// - Throws: `SettingsFaults`, `FaultySettings` or `KafkaError`.
    init(
        _ path: String,
        of worker: String,
        _ defaults: TopicComparison.Defaults,
        atMost longest: Duration
    ) throws {
        let file = try WorkerFile(path, of: worker)
        self.wanted = file.topics
        self.kafka = file.kafka
        // The client's own log is turned off: if no broker answers, the error says so.
        self.consumer = try Consumer(file.kafka.consumerProperties().merging(["log_level": "0"]) { $1 })
        self.defaults = defaults
        self.longest = longest
    }

    /// Returns a client that changes topics.
    func admin() throws(KafkaError) -> Admin {
        try Admin(self.kafka.producerProperties())
    }

    /// Asks the cluster for settings of topics.
    func settings(of topics: [String]) throws(KafkaError) -> [String: TopicSettings] {
        try self.consumer.settings(of: topics, atMost: self.longest)
    }

    /// Compares the topics with those of the cluster as they are now.
    func comparison() throws -> TopicComparison {
        do throws(KafkaError) {
            let cluster = try self.consumer.metadata(atMost: self.longest)
            let existing = self.wanted.map(\.name).filter { cluster.partitionCounts[$0, default: 0] > 0 }
            return TopicComparison(
                self.wanted,
                in: cluster,
                settings: try self.settings(of: existing),
                defaults: self.defaults
            )
        } catch {
            throw SilentCluster(brokers: self.kafka.brokers, error: error)
        }
    }
}

/// A cluster that has not answered.
struct SilentCluster: Error, CustomStringConvertible {
    var brokers: String
    var error: KafkaError

    var description: String { "kafka.brokers: no answer from \(self.brokers): \(self.error.plainWords)." }
}
