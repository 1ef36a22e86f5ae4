import DeadLetters
import Kafka
import Operations

/// The settings of the tool: the cluster, the names of its topics, and the web pages.
struct ToolSettings {
    var brokers: String
    var properties: KafkaProperties
    var topics: [String]
    var ledgerTopic: String
    var auditTopic: String
    var targets: [String]
    var resultSuffix: String
    var indexPath: String?
    var user: String?
    var salt: Secret?
    var readable: ReadablePolicy
    var patience: Duration
    var serve: ServeSettings

    /// The lengths of a user's name, in bytes.
    static let lengthsOfUsers = 1...128

    /// Reads all settings. Faults are reported to the reader.
    init(_ reader: SettingsReader) {
        let kafka = reader.section("kafka")
        self.brokers = kafka.brokers(
            "brokers",
            default: "127.0.0.1:9092",
            help: "Where the cluster is: host:port[,host:port…]."
        )
        var isEachTaken = true
        self.properties = kafka.kafkaProperties { name, value in
            let objection = ClientProperty.objection(to: name, value.reveal(), of: "the tool")
            isEachTaken = isEachTaken && objection == nil
            return objection
        }
        // Certificates that cannot be read, and properties that contradict each other.
        if isEachTaken, !self.properties.values.isEmpty,
            let objection = ClientProperty.objection(to: self.properties.values.mapValues { $0.reveal() })
        {
            kafka.reportFault("properties", objection)
        }
        self.patience = kafka.duration(
            "patience",
            default: .seconds(15),
            in: .seconds(1) ... .seconds(600),
            help: "How long the cluster may take to answer one question."
        )
        let own = reader.section("dead_letters")
        self.topics = own.strings(
            "topics",
            default: DeadLetterSettings.usualTopics,
            help: "Topics of dead letters; a * stands for any text."
        )
        self.ledgerTopic = own.string(
            "ledger_topic",
            default: "dead-letters.ledger",
            help: "Compacted; remembers what was replayed or discarded, so that nothing is replayed twice."
        )
        self.auditTopic = own.string(
            "audit_topic",
            default: "dead-letters.audit",
            help: "The audit trail: who did what, when and why."
        )
        self.targets = own.strings(
            "targets",
            default: [],
            help:
                "Topics that may be replayed to; a * stands for any text. By default all but those of dead letters and the tool's own."
        )
        self.resultSuffix = own.string(
            "result_suffix",
            default: ".result",
            help: "The end of the name of a topic's results, after the topic's name; outcomes are read there."
        )
        self.readable = Self.readable(own)
        self.indexPath = own.optionalString(
            "index",
            help: "File of the local index. By default one for each cluster in the user's cache folder."
        )
        self.user = own.optionalString(
            "user",
            help: "Your name in ledger and audit trail; by default that of the system."
        )
        if let user, !Self.lengthsOfUsers.contains(user.utf8.count) {
            own.reportFault("user", "must have 1 to 128 bytes")
        }
        self.salt = own.optionalSecret(
            "salt",
            help:
                "Makes the marks that stand for masked values comparable with those of colleagues, and of logs with the same log.salt."
        )
        self.serve = ServeSettings(reader.section("serve"))
    }

    private static func readable(_ own: SettingsReader) -> ReadablePolicy {
        let items = own.strings(
            "readable",
            default: ReadablePolicy.usualItems,
            help:
                "The parts of a letter that may be read without masks: header:NAME, field:PATH, where a * stands for any text, and message for the error texts of other frameworks."
        )
        do {
            return try ReadablePolicy(items)
        } catch {
            own.reportFault("readable", error.sentence)
            return .strict
        }
    }
}
