package import Operations

/// How a worker reaches its cluster, and its topics there.
package struct KafkaSettings: Sendable {
    package var brokers: String
    package var group: String
    package var topic: String
    package var resultTopic: String
    package var deadLetterTopic: String
    package var messageBytesLimit: Int
    package var startLimit: Duration
    private var transactionTimeout: Duration
    private var sessionTimeout: Duration
    private var fetchWait: Duration
    private var linger: Duration
    private var extra: [String: Secret]

    /// Reads the section `kafka`.
    package init(_ reader: SettingsReader, _ identity: WorkerIdentity) {
        self.brokers = reader.brokers("brokers", help: "Where the cluster is: host:port[,host:port…].")
        self.topic = reader.string("topic", default: identity.topic, help: "The topic that is consumed.")
        self.resultTopic = reader.string(
            "result_topic",
            default: "\(self.topic).result",
            help: "Gets one outcome for every record."
        )
        self.deadLetterTopic = reader.string(
            "dead_letter_topic",
            default: "\(self.topic).dead-letter",
            help: "Gets what nobody could finish."
        )
        self.group = reader.string("group", default: identity.name, help: "The consumer group.")
        self.messageBytesLimit = reader.bytes(
            "message_limit",
            // What a broker takes by default is 1,048,588, the frame of the batch included.
            default: 1_048_000,
            in: 10_000...1_000_000_000,
            help: "The largest record the broker takes; a larger dead letter becomes a pointer."
        )
        self.sessionTimeout = reader.duration(
            "session_timeout",
            default: .seconds(45),
            in: .seconds(1) ... .seconds(1_800),
            help: "How long the group waits for a silent member before it gives its partitions to others."
        )
        self.transactionTimeout = reader.duration(
            "transaction_timeout",
            default: .seconds(15),
            in: .seconds(2) ... .seconds(900),
            help: "With exactly-once: how long what a dead worker left open can keep readers waiting."
        )
        self.fetchWait = reader.duration(
            "fetch_wait",
            default: .milliseconds(100),
            in: .milliseconds(1) ... .seconds(30),
            help: "How long the broker may hold back an answer that has nothing to say."
        )
        self.startLimit = reader.duration(
            "start_limit",
            default: .seconds(30),
            in: .seconds(1) ... .seconds(600),
            help: "How long the cluster may take to answer when the worker starts."
        )
        self.linger = identity.haste.linger
        self.extra = reader.kafkaProperties(except: Self.ownNames, of: "the worker")
    }

    /// What the engine's promises rest on.
    private static let ownNames: Set<String> = [
        "enable.auto.commit", "enable.auto.offset.store", "enable.idempotence", "group.id",
        "bootstrap.servers",
        "metadata.broker.list", "auto.offset.reset", "max.poll.interval.ms", "message.max.bytes",
        "transaction.timeout.ms",
        "partition.assignment.strategy", "log.queue", "transactional.id", "go.delivery.reports", "acks",
        "request.required.acks",
    ]

    /// librdkafka's properties for the consumer.
    package var consumerProperties: [String: String] {
        let own = [
            "bootstrap.servers": self.brokers,
            "group.id": self.group,
            "auto.offset.reset": "earliest",
            // Eager: librdkafka before 2.10 can lose an assignment to a commit during a cooperative rebalance.
            "partition.assignment.strategy": "range,roundrobin",
            "session.timeout.ms": Self.milliseconds(self.sessionTimeout),
            "heartbeat.interval.ms": Self.milliseconds(min(.seconds(3), self.sessionTimeout / 4)),
            "max.poll.interval.ms": "300000",
            "fetch.wait.max.ms": Self.milliseconds(self.fetchWait),
            // Each partition fetches ahead on its own; together these bound what librdkafka holds.
            "queued.min.messages": "256",
            "queued.max.messages.kbytes": "512",
            "fetch.message.max.bytes": "262144",
            "fetch.max.bytes": "4194304",
            "receive.message.max.bytes": "104857600",
        ]
        return own.merging(self.extraProperties) { $1 }
    }

    /// The same for a reader that is nobody in the group.
    package var readerProperties: [String: String] {
        let ofMembers: Set<String> = [
            "group.id", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms",
            "partition.assignment.strategy",
        ]
        return self.consumerProperties.filter { !ofMembers.contains($0.key) }
    }

    /// librdkafka's properties for the producer.
    ///
    /// - Parameter transactionalID: what the producer is called if it is to have transactions.
    package func producerProperties(transactionalID: String? = nil) -> [String: String] {
        var own = [
            "bootstrap.servers": self.brokers,
            "linger.ms": Self.milliseconds(self.linger),
            "message.max.bytes": String(self.messageBytesLimit),
            "message.timeout.ms": "30000",
            "queue.buffering.max.kbytes": "65536",
        ]
        if let transactionalID {
            own["transactional.id"] = transactionalID
            own["transaction.timeout.ms"] = Self.milliseconds(self.transactionTimeout)
            // A record that is not acknowledged by then is the end of its transaction, while there is still time to
            // abort it in good order.
            own["message.timeout.ms"] = Self.milliseconds(self.transactionTimeout * 2 / 3)
        }
        return own.merging(self.extraProperties) { $1 }
    }

    private var extraProperties: [String: String] {
        self.extra.mapValues { $0.reveal() }
    }

    private static func milliseconds(_ duration: Duration) -> String { String(duration.wholeMilliseconds) }
}
