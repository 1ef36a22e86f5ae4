import EventThread
package import Kafka
package import Logging
package import Operations

/// The wait, before the first record, for a cluster to answer and to have what a worker needs.
package struct ClusterWait {
    private let limit: Duration
    private let brokers: String
    private let health: Health
    private let logger: Logger

    /// The longest wait for a single answer, so that a stop is noticed this soon even while the cluster does
    /// not answer.
    package static let slice = Duration.seconds(3)

    /// - Parameter limit: How long the cluster may take.
    package init(limit: Duration, brokers: String, health: Health, logger: Logger) {
        self.limit = limit
        self.brokers = brokers
        self.health = health
        self.logger = logger
    }

    /// Asks the cluster until there is an answer.
    ///
    /// - Parameter ask: Asks the cluster, and waits for it at most a slice or two.
    /// - Returns: The answer; nil if a stop was requested meanwhile.
    /// - Throws: `PreflightFailure` if the cluster does not answer within the limit or the group refuses this
    ///   worker; or the error of `ask`, unless it may pass.
    package func answer<Answer>(
        of broker: KafkaBroker,
        until stop: StopRequest,
        _ ask: () throws -> Answer
    ) throws -> Answer? {
        let deadline = Moment.now.after(self.limit)
        var pause = Wait(on: [stop.bell.descriptor])
        var toldFaults: [String] = []
        while !stop.isRequested {
            self.health.beat()
            try self.tellOfTrouble(broker)
            do {
                return try ask()
            } catch let error as KafkaError {
                guard Moment.now.monotonic < deadline else {
                    throw PreflightFailure(faults: [
                        "kafka.brokers: no answer from \(self.brokers): \(error.message)."
                    ])
                }
                // Most errors come after a slice. An error that comes at once must not make this loop spin.
                pause(atMost: .milliseconds(200))
            } catch let failure as PreflightFailure where failure.mayPass {
                guard Moment.now.monotonic < deadline else { throw failure }
                if failure.faults != toldFaults { self.logger.warning("waiting: \(failure)") }
                toldFaults = failure.faults
                pause(atMost: .milliseconds(200))
            }
        }
        return nil
    }

    /// Checks whether this client may read topics. The metadata do not tell: a broker names a topic also to a
    /// client that may only describe it.
    ///
    /// A cluster that does not answer within a slice is taken to allow reading.
    ///
    /// - Parameter broker: A client that is a member of no group yet.
    /// - Throws: `PreflightFailure`, with a sentence for each topic that may not be read, or for the group.
    package func checkReading(_ topics: [String], of broker: KafkaBroker) throws {
        let ends = topics.map {
            CommittedPosition(partition: TopicPartition(topic: $0, partition: 0), offset: LogReader.end)
        }
        var unknown = try broker.consumer.assign(ends)
        var refused: [String] = []
        var pause = Wait(on: [broker.consumer.descriptor])
        let deadline = Moment.now.after(Self.slice)
        while !unknown.isEmpty, Moment.now.monotonic < deadline {
            try self.tellOfTrouble(broker)
            unknown.removeAll { reader in
                var isAnswered = false
                let count = reader.visit(atMost: 1) { _ in
                } _: { error in
                    isAnswered = true
                    if error.code == .topicNotAuthorized { refused.append(reader.partition.topic) }
                }
                return isAnswered || count > 0
            }
            if !unknown.isEmpty { pause(atMost: .milliseconds(500)) }
        }
        try broker.consumer.unassign()
        guard !refused.isEmpty else { return }
        throw PreflightFailure(
            faults: refused.map {
                "This client has no right to read the topic '\($0)'. Allow it READ on the topic."
            }
        )
    }

    /// Returns the id of the cluster, which tells one cluster's offsets from another's. Waits for the cluster,
    /// at most a slice.
    ///
    /// - Throws: `KafkaError` if the cluster does not tell its id.
    package func clusterID(of broker: KafkaBroker) throws(KafkaError) -> String {
        guard let id = broker.consumer.clusterID(atMost: Self.slice) else {
            throw KafkaError(code: .timedOut, message: "the cluster does not tell its id")
        }
        return id
    }

    /// Returns the settings of these topics, without those that the cluster does not tell. Waits for the
    /// cluster, at most a slice.
    ///
    /// - Returns: The settings by topic; nil if the cluster tells none, or none to this client. A worker starts
    ///   all the same.
    package func settings(of topics: [String], of broker: KafkaBroker) -> [String: TopicSettings]? {
        do throws(KafkaError) {
            return try broker.consumer.settings(of: topics, atMost: Self.slice)
        } catch {
            let message = "the cluster does not tell how long it keeps records, and how large ones it takes"
            self.logger.info("\(message)", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Passes librdkafka's messages on to the log from the first line on, in the log's own format.
    ///
    /// - Throws: `PreflightFailure` if the group refuses this worker. librdkafka reports the refusal once,
    ///   and it may come during this wait.
    private func tellOfTrouble(_ broker: KafkaBroker) throws {
        var refusal: KafkaError?
        broker.serve { event in
            switch event {
            case .logged(let log): self.logger.pass(on: log)
            case .failed(let error) where error.isFatal: refusal = refusal ?? error
            case .failed(let error): self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
            case .assigned, .revoked, .committed, .reported, .transaction, .producerFailed: break
            }
        }
        if let refusal { throw PreflightFailure(faults: ["\(refusal.message)."]) }
    }
}
