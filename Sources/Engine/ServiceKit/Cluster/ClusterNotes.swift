package import Kafka
package import Logging

/// The words of a cluster to a client before the first record. librdkafka tells the causes of its troubles only as events,
/// and goes on trying.
package final class ClusterNotes {
    /// The last trouble with connecting, in words that name a setting; nil if there was none.
    package private(set) var connectionTrouble: String?
    /// librdkafka's last words about a connection that says no more; nil if there was none.
    private(set) var lastWords: String?
    /// Whether the cluster refused the group since `forgetGroup`.
    private(set) var refusesGroup = false
    /// Whether the cluster refused the idempotent producer, which is of no use any more.
    private(set) var refusesProducer = false
    /// Whether the cluster has answered a question about settings. A broker that cannot is no Apache Kafka.
    package private(set) var isWhole = false
    /// The topics whose last answer to a fetch was that this client may not read them.
    private(set) var refusedTopics: Set<String> = []
    private var commits: [UInt64: RightsProbe.Answer] = [:]
    private let logger: Logger?

    /// - Parameter logger: Gets each new trouble; nil for none.
    package init(logger: Logger?) { self.logger = logger }

    /// Takes the events since the last call. Passes librdkafka's messages on to the log from the first line on, in the
    /// log's own format.
    ///
    /// - Throws: `PreflightFailure` if the group refuses this worker for another reason than its rights. librdkafka
    ///   reports the refusal once.
    package func take(from broker: KafkaBroker) throws {
        var refusal: KafkaError?
        broker.serve { event in
            switch event {
            case .logged(let log): self.logger?.pass(on: log)
            case .committed(let id, let error): self.commits[id] = RightsProbe.answer(toCommit: error)
            case .failed(let error), .producerFailed(let error): refusal = refusal ?? self.note(error)
            case .assigned, .revoked, .reported, .transaction: break
            }
        }
        if let refusal { throw PreflightFailure(faults: ["\(refusal.message)."]) }
    }

    /// Notes an error, and returns it if it is the end of the worker.
    private func note(_ error: KafkaError) -> KafkaError? {
        switch error.code {
        case .groupNotAuthorized: self.refusesGroup = true
        case .clusterNotAuthorized: self.refusesProducer = true
        default:
            guard !error.isFatal else { return error }
            guard let trouble = ConnectionTrouble(error) else {
                if [.connectionFailed, .unresolved].contains(error.code) { self.lastWords = error.message }
                self.logger?.warning("kafka trouble", metadata: ["error": "\(error)"])
                return nil
            }
            guard trouble.sentence != self.connectionTrouble else { return nil }
            self.connectionTrouble = trouble.sentence
            self.logger?.warning("\(trouble.sentence)", metadata: ["error": "\(error)"])
        }
        return nil
    }

    /// Asks for the settings of topics. Waits for the cluster, at most this long.
    ///
    /// - Throws: The error of the cluster, or of a client that has no answer.
    package func settings(
        of topics: [String],
        _ broker: KafkaBroker,
        atMost longest: Duration
    ) throws(KafkaError) -> [String: TopicSettings] {
        let settings = try broker.consumer.settings(of: topics, atMost: longest)
        self.isWhole = true
        return settings
    }

    /// Returns the sentence about a cluster that does not answer.
    package func noAnswer(from brokers: String, _ error: KafkaError) -> String {
        self.connectionTrouble
            ?? "kafka.brokers: no answer from \(brokers): \(self.lastWords ?? error.message)."
    }

    /// Notes the answer to a fetch of a topic.
    func note(_ topic: String, isRefused: Bool) {
        if isRefused { self.refusedTopics.insert(topic) } else { self.refusedTopics.remove(topic) }
    }

    /// Begins a question about the group anew.
    func forgetGroup() { self.refusesGroup = false }

    /// Returns the answer to a commit once; nil if there is none yet.
    func takeAnswer(to commit: UInt64) -> RightsProbe.Answer? { self.commits.removeValue(forKey: commit) }
}
