import EmbeddedBroker
import Foundation
import Records

/// The topics that the push-arrival worker has beside those of every worker.
enum PushTopics {
    static func cluster(
        partitions: Int,
        _ settings: BrokerSettings = BrokerSettings()
    ) async throws -> TestCluster {
        try await TestCluster.transactional(
            [
                "changelog": partitions, "parts": 3, "stats": 3, "forward": 2, "forward.result": 2,
                "forward.dead-letter": 2,
            ],
            input: partitions,
            settings
        )
    }

    /// - Parameters:
    ///   - kafka: a further line of its section.
    ///   - more: further lines of the settings file.
    static func settings(
        _ cluster: TestCluster,
        interval: String = "500ms",
        kafka: String = "",
        more: String = ""
    ) -> String {
        """
        kafka:
          brokers: \(cluster.brokers)
          topic: \(cluster.input)
          group: \(cluster.input)
          session_timeout: 6s
          transaction_timeout: 5s
          fetch_wait: 5ms
          partitioner: crc32
          \(kafka)
        statistics:
          interval: \(interval)
        health:
          host: 127.0.0.1
          port: 0
        dashboard:
          enabled: false
        log:
          format: text
        \(more)
        """
    }
}

extension PushTopics {
    static func forwarderSettings(_ cluster: TestCluster, url: String) -> String {
        """
        kafka:
          brokers: \(cluster.brokers)
          topic: \(cluster.input).forward
          group: \(cluster.input).forward
          session_timeout: 6s
          fetch_wait: 5ms
        forward:
          url: \(url)/arrivals
          token: test-token
        health:
          host: 127.0.0.1
          port: 0
        log:
          format: text
        """
    }
}

extension [InboundRecord] {
    /// The last record of each key, as the JSON object that it is.
    var latest: [String: [String: Any]] {
        var latest: [String: [String: Any]] = [:]
        for record in self {
            guard let key = record.key, let value = record.value,
                let object = (try? JSONSerialization.jsonObject(with: Data(value))) as? [String: Any]
            else { continue }
            latest[String(decoding: key, as: UTF8.self)] = object
        }
        return latest
    }
}
