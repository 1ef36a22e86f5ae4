import Kafka

extension ClusterReader {
    /// Creates the ledger topic and the audit topic, with one partition each, where they do not exist yet.
    ///
    /// - Throws: `CannotMakeTopic` if the cluster refuses, for example because an ACL forbids it; an operator
    ///   has to create the topic then. `KafkaError` if the cluster does not answer within
    ///   `settings.patience`.
    package func makeTopics() throws {
        let counts = try self.log.metadata(atMost: self.settings.patience).partitionCounts
        try self.makeTopic(self.settings.ledgerTopic, counts, settings: ["cleanup.policy": "compact"])
        // The audit topic keeps its records without a time limit, so that every past action can be looked up.
        try self.makeTopic(
            self.settings.auditTopic,
            counts,
            settings: ["cleanup.policy": "delete", "retention.ms": "-1"]
        )
    }

    private func makeTopic(_ topic: String, _ counts: [String: Int], settings topicSettings: [String: String])
        throws
    {
        guard counts[topic] == nil else { return }
        do throws(KafkaError) {
            try Admin(self.settings.properties).createTopics(
                [topic: 1],
                settings: topicSettings,
                atMost: self.settings.patience
            )
        } catch  where error.code == .topicAlreadyExists {
            return
        } catch {
            throw CannotMakeTopic(topic: topic, settings: topicSettings, cause: error)
        }
    }

    /// A topic that the tool needs does not exist, and the cluster did not let the tool create it.
    struct CannotMakeTopic: Error, CustomStringConvertible {
        var topic: String
        var settings: [String: String]
        var cause: KafkaError

        var description: String {
            let settings = self.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return """
                the topic '\(self.topic)' is not there and cannot be made (\(self.cause.plainWords)); have it made with one \
                partition and \(settings.joined(separator: ", "))
                """
        }
    }
}
