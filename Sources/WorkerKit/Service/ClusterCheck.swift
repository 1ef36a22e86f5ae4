import EventThread
import Kafka
import Logging
import Operations

/// Meets the cluster before the first record: waits for it, asks what it holds, and compares that with `Preflight`.
struct ClusterCheck {
    let settings: WorkerSettings
    let health: Health
    let logger: Logger

    /// A stop is heard this soon, even while the cluster does not answer.
    private static let slice = Duration.seconds(3)

    /// Waits for the cluster as long as `kafka.start_limit` allows.
    ///
    /// - Returns: nil if a stop was asked for meanwhile.
    /// - Throws: `PreflightFailure`, with a sentence for each fault.
    func facts(of broker: KafkaBroker, until stop: StopRequest) throws -> ClusterFacts? {
        let deadline = Moment.now.after(self.settings.startLimit)
        var pause = Wait(on: [stop.bell.descriptor])
        while !stop.isRequested {
            self.health.beat()
            self.tellOfTrouble(broker)
            do {
                return try self.facts(of: broker)
            } catch let error as KafkaError {
                guard Moment.now.monotonic < deadline else {
                    let brokers = self.settings.kafka.brokers
                    throw PreflightFailure(faults: [
                        "kafka.brokers: no answer from \(brokers): \(error.message)."
                    ])
                }
                // Most errors come after a slice; one that comes at once must not make this spin.
                pause(atMost: .milliseconds(200))
            }
        }
        return nil
    }

    private func facts(of broker: KafkaBroker) throws -> ClusterFacts {
        let check = Preflight(self.settings.engine)
        let cluster = try broker.consumer.metadata(atMost: Self.slice)
        let faults = check.faults(in: cluster)
        guard faults.isEmpty else { throw PreflightFailure(faults: faults) }
        try self.lookAtTopics(check, broker)
        // Part of every dead letter's id: without it, the same record would have one id now and another later.
        guard let id = broker.consumer.clusterID(atMost: Self.slice) else {
            throw KafkaError(code: .timedOut, message: "the cluster does not tell its id")
        }
        let retryTopics = Set(check.retryTiers.map(\.topic))
        return ClusterFacts(
            clusterID: id,
            resultPartitions: cluster.partitionCounts[check.resultTopic] ?? 1,
            deadLetterPartitions: cluster.partitionCounts[check.deadLetterTopic] ?? 1,
            consumedPartitions: self.settings.engine.consumedTopics
                .reduce(0) { $0 + (cluster.partitionCounts[$1] ?? 0) },
            retryPartitions: cluster.partitionCounts.filter { retryTopics.contains($0.key) }
        )
    }

    /// A cluster that does not tell of its topics, or not this client, keeps no worker from its work.
    private func lookAtTopics(_ check: Preflight, _ broker: KafkaBroker) throws {
        let outlook: Preflight.Outlook
        do throws(KafkaError) {
            outlook = check.outlook(
                try broker.consumer.settings(of: check.describedTopics, atMost: Self.slice)
            )
        } catch {
            let message = "the cluster does not tell how long it keeps records, and how large ones it takes"
            return self.logger.info("\(message)", metadata: ["error": "\(error)"])
        }
        guard outlook.faults.isEmpty else { throw PreflightFailure(faults: outlook.faults) }
        for warning in outlook.warnings { self.logger.warning("\(warning)") }
        guard !outlook.unknown.isEmpty else { return }
        self.logger.info(
            "no right to describe some topics: their retention and limits are unchecked",
            metadata: ["topics": "\(outlook.unknown.joined(separator: " "))"]
        )
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
