import Kafka

extension ClusterReader {
    /// Makes the topics of ledger and audit trail where they are not there yet.
    ///
    /// - Throws: if that is not allowed here: somebody else has to make them then.
    package func makeTopics() throws {
        let counts = try self.log.metadata(atMost: self.settings.patience).partitionCounts
        try self.makeTopic(self.settings.ledgerTopic, counts, ["cleanup.policy": "compact"])
        // What was done stays known for as long as somebody may ask.
        try self.makeTopic(
            self.settings.auditTopic,
            counts,
            ["cleanup.policy": "delete", "retention.ms": "-1"]
        )
    }

    private func makeTopic(_ topic: String, _ counts: [String: Int], _ topicSettings: [String: String]) throws
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

    struct CannotMakeTopic: Error, CustomStringConvertible {
        var topic: String
        var settings: [String: String]
        var cause: KafkaError

        var description: String {
            let settings = self.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return """
                the topic '\(self.topic)' is not there and cannot be made (\(self.cause)); have it made with one \
                partition and \(settings.joined(separator: ", "))
                """
        }
    }
}
