package import Operations

/// What the tool has to be told.
package struct DeadLetterSettings: Sendable {
    /// librdkafka's own, such as `bootstrap.servers`, TLS and SASL.
    package var properties: [String: String]
    /// Topics of dead letters; a `*` stands for any text.
    package var topics: [String]
    package var ledgerTopic: String
    package var auditTopic: String
    /// Topics that may be replayed to, as patterns. Without one, those that a dead letter came from, if the cluster has
    /// them and they are none of the tool's own, no topic of dead letters, and do not begin with `_`.
    package var targets: [String]
    /// What stands between a topic and its results: `activation` and `activation.result`.
    package var resultSuffix: String
    /// Who is at work, for ledger and audit.
    package var user: String
    package var salt: Secret
    /// Where the index is; nil for the usual place.
    package var indexPath: String?
    /// How long the cluster may take to answer one question.
    package var patience: Duration
    /// How long a transaction of a replay may take; what a killed one left open keeps readers waiting that long.
    package var transactionTimeout: Duration

    package init(
        properties: [String: String],
        user: String,
        salt: Secret,
        topics: [String] = ["*.dead-letter"],
        ledgerTopic: String = "dead-letters.ledger",
        auditTopic: String = "dead-letters.audit",
        targets: [String] = [],
        resultSuffix: String = ".result",
        indexPath: String? = nil,
        patience: Duration = .seconds(15),
        transactionTimeout: Duration = .seconds(15)
    ) {
        self.properties = properties
        self.user = user
        self.salt = salt
        self.topics = topics
        self.ledgerTopic = ledgerTopic
        self.auditTopic = auditTopic
        self.targets = targets
        self.resultSuffix = resultSuffix
        self.indexPath = indexPath
        self.patience = patience
        self.transactionTimeout = transactionTimeout
    }

    /// Bytes that librdkafka may fetch ahead in all, and as many again on their way.
    private static let fetchedAheadLimit = 24 << 20

    /// For a reader that is bounded in memory however many partitions there are.
    func readerProperties(partitions: Int) -> [String: String] {
        let bytes = min(4 << 20, max(32 << 10, Self.fetchedAheadLimit / max(1, partitions)))
        return [
            "auto.offset.reset": "earliest", "fetch.wait.max.ms": "50", "queued.min.messages": "10000",
            "queued.max.messages.kbytes": String(bytes >> 10), "fetch.message.max.bytes": String(bytes),
            "fetch.max.bytes": String(max(bytes, 4 << 20)), "isolation.level": "read_committed",
        ].merging(self.properties) { $1 }
    }
}
