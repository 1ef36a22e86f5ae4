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
    private let notes: ClusterNotes

    /// The longest wait for a single answer, so that a stop is noticed this soon even while the cluster does
    /// not answer.
    package static let slice = Duration.seconds(3)

    /// - Parameter limit: How long the cluster may take.
    package init(limit: Duration, brokers: String, health: Health, logger: Logger) {
        self.limit = limit
        self.brokers = brokers
        self.health = health
        self.logger = logger
        self.notes = ClusterNotes(logger: logger)
    }

    /// Asks the cluster until there is an answer. The readiness says meanwhile what is missing.
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
            try self.notes.take(from: broker)
            do {
                return try ask()
            } catch let error as KafkaError {
                try self.notes.take(from: broker)
                let fault = self.notes.noAnswer(from: self.brokers, error)
                guard Moment.now.monotonic < deadline else { throw PreflightFailure(faults: [fault]) }
                self.health.become(.notReady(reason: fault))
                // Most errors come after a slice. An error that comes at once must not make this loop spin.
                pause(atMost: .milliseconds(200))
            } catch let failure as PreflightFailure where failure.mayPass {
                guard Moment.now.monotonic < deadline else { throw failure }
                if failure.faults != toldFaults { self.logger.warning("waiting: \(failure)") }
                toldFaults = failure.faults
                self.health.become(.notReady(reason: failure.faults.joined(separator: " ")))
                pause(atMost: .milliseconds(200))
            }
        }
        return nil
    }

    /// Checks the rights of this client, as far as the cluster answers within a slice for each kind.
    ///
    /// - Parameters:
    ///   - broker: A client that is a member of no group yet. Rights to write are asked for after `settings` alone.
    /// - Throws: `PreflightFailure`, with a sentence for each right that is missing.
    package func check(
        _ rights: [NeededRight],
        _ kafka: KafkaSettings,
        of broker: KafkaBroker
    ) throws {
        let check = RightsCheck(kafka, of: broker, notes: self.notes, atMost: Self.slice)
        try check.check(rights)
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
            return try self.notes.settings(of: topics, broker, atMost: Self.slice)
        } catch {
            let message = "the cluster does not tell how long it keeps records, and how large ones it takes"
            self.logger.info("\(message)", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
