import EventThread
import Kafka
package import Logging
package import Operations

/// Waits for a cluster to answer before the first record.
package struct ClusterWait {
    private let limit: Duration
    private let brokers: String
    private let health: Health
    private let logger: Logger

    /// A stop is heard this soon, even while the cluster does not answer.
    package static let slice = Duration.seconds(3)

    /// - Parameter limit: how long the cluster may take.
    package init(limit: Duration, brokers: String, health: Health, logger: Logger) {
        self.limit = limit
        self.brokers = brokers
        self.health = health
        self.logger = logger
    }

    /// Asks until there is an answer.
    ///
    /// - Parameter ask: asks the cluster, and waits for it at most a slice or two.
    /// - Returns: nil if a stop was asked for meanwhile.
    /// - Throws: `PreflightFailure` if the cluster is silent for too long, and what `ask` throws besides `KafkaError`.
    package func answer<Answer>(
        of broker: KafkaBroker,
        until stop: StopRequest,
        _ ask: () throws -> Answer
    ) throws -> Answer? {
        let deadline = Moment.now.after(self.limit)
        var pause = Wait(on: [stop.bell.descriptor])
        while !stop.isRequested {
            self.health.beat()
            self.tellOfTrouble(broker)
            do {
                return try ask()
            } catch let error as KafkaError {
                guard Moment.now.monotonic < deadline else {
                    throw PreflightFailure(faults: [
                        "kafka.brokers: no answer from \(self.brokers): \(error.message)."
                    ])
                }
                // Most errors come after a slice; one that comes at once must not make this spin.
                pause(atMost: .milliseconds(200))
            }
        }
        return nil
    }

    /// What librdkafka has to say goes to the log from the first line on, in the log's own format.
    private func tellOfTrouble(_ broker: KafkaBroker) {
        broker.serve { event in
            switch event {
            case .logged(let log): self.logger.pass(on: log)
            case .failed(let error): self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
            case .assigned, .revoked, .committed, .reported, .transaction, .producerFailed: break
            }
        }
    }
}
