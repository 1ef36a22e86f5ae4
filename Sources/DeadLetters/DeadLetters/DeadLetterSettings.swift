package import Operations

/// The settings of the dead-letter tool.
package struct DeadLetterSettings: Sendable {
    /// Properties of librdkafka, such as `bootstrap.servers`, TLS and SASL.
    package var properties: [String: String]
    /// Patterns of the topics of dead letters; a `*` stands for any text.
    package var topics: [String]
    /// The compacted topic that says which letters were replayed or discarded.
    package var ledgerTopic: String
    /// The topic that says which user did what, when and why.
    package var auditTopic: String
    /// Patterns of the topics that may be replayed to.
    ///
    /// If the list is empty, every topic of the cluster is allowed, except the tool's own topics, the topics
    /// of dead letters, and topics whose names begin with `_`.
    package var targets: [String]
    /// The suffix that makes the name of a result topic from its input topic: `activation` and
    /// `activation.result`.
    package var resultSuffix: String
    /// The name of the user, for the ledger and the audit trail.
    package var user: String
    /// The key of the marks that stand for masked values.
    package var salt: Secret
    /// The texts of letters that may be read without masks.
    package var readable: ReadablePolicy
    /// The path of the index; nil for the standard path of the cluster, see `IndexFile.standardPath`.
    package var indexPath: String?
    /// The longest time that the cluster may take to answer one request.
    package var patience: Duration
    /// The longest time that a transaction of a replay may take. After a replay was killed, readers of
    /// committed records wait up to this long behind the transaction that it left open.
    package var transactionTimeout: Duration

    /// The patterns of the topics that our workers and other frameworks write dead letters to: Spring's `-dlt` and
    /// `.DLT`, and the names that teams give to those of Kafka Connect, Karafka and their own.
    package static let usualTopics = ["*.dead-letter", "*-dlt", "*.DLT", "*.DLQ", "*-dlq", "*_dlq"]

    /// Creates settings; every default is the tool's own.
    package init(
        properties: [String: String],
        user: String,
        salt: Secret,
        topics: [String] = Self.usualTopics,
        ledgerTopic: String = "dead-letters.ledger",
        auditTopic: String = "dead-letters.audit",
        targets: [String] = [],
        resultSuffix: String = ".result",
        readable: ReadablePolicy = .usual,
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
        self.readable = readable
        self.indexPath = indexPath
        self.patience = patience
        self.transactionTimeout = transactionTimeout
    }

    /// The number of bytes that librdkafka may hold prefetched for all partitions together. As many bytes
    /// again may be in flight from the brokers.
    private static let fetchedAheadLimit = 24 << 20

    /// The properties of a reader that divides a fixed amount of memory by the number of partitions.
    ///
    /// Each partition gets at least 32 KiB and at most 4 MiB, so the total grows beyond 24 MiB from 769
    /// partitions on.
    func readerProperties(partitions: Int) -> [String: String] {
        let bytes = min(4 << 20, max(32 << 10, Self.fetchedAheadLimit / max(1, partitions)))
        return [
            "auto.offset.reset": "earliest", "fetch.wait.max.ms": "50", "queued.min.messages": "10000",
            "queued.max.messages.kbytes": String(bytes >> 10), "fetch.message.max.bytes": String(bytes),
            "fetch.max.bytes": String(max(bytes, 4 << 20)), "isolation.level": "read_committed",
        ].merging(self.properties) { $1 }
    }
}
