import Foundation
import Kafka
package import Operations

/// The settings under `kafka`: how a worker reaches its cluster, and its topics there.
package struct KafkaSettings: Sendable {
    /// The addresses of the cluster, as `host:port[,host:port…]`.
    package var brokers: String
    /// The consumer group that the worker joins.
    package var group: String
    /// The topic that is consumed.
    package var topic: String
    /// The topic that gets one outcome for every record.
    package var resultTopic: String
    /// The topic that gets the dead letters.
    package var deadLetterTopic: String
    /// The topics of dead letters with some reasons.
    package var deadLetterRoutes: DeadLetterRoutes
    /// The largest record that the broker accepts, in bytes.
    package var messageBytesLimit: Int
    /// How long the cluster may take to answer when the worker starts.
    package var startLimit: Duration
    /// The name of this process in the group; nil if it has no name of its own that outlives a restart.
    private var instance: String?
    private var transactionTimeout: Duration
    private var sessionTimeout: Duration
    private var fetchWait: Duration
    private var linger: Duration
    private var extra: KafkaProperties

    /// Reads the section `kafka`.
    ///
    /// - Parameter messageBytesLimit: The largest record where no setting says otherwise. By default a broker accepts
    ///   1,048,588 bytes, the frame of the batch included.
    package init(_ reader: SettingsReader, _ identity: WorkerIdentity, messageBytesLimit: Int = 1_048_000) {
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
        self.deadLetterRoutes = reader.deadLetterRoutes()
        self.group = reader.string("group", default: identity.name, help: "The consumer group.")
        self.messageBytesLimit = reader.bytes(
            "message_limit",
            default: messageBytesLimit,
            in: 10_000...1_000_000_000,
            help: "The largest record the broker takes; a larger dead letter becomes a pointer."
        )
        self.instance = reader.instanceName()
        self.sessionTimeout = reader.duration(
            "session_timeout",
            default: .seconds(15),
            in: .seconds(1) ... .seconds(1_800),
            help:
                "How long the group waits for a silent member before it gives its partitions to others. A worker that "
                + "stands still for longer loses them; one without kafka.instance that is killed and comes back stops "
                + "the whole group for as long."
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
        var isEachTaken = true
        self.extra = reader.kafkaProperties { name, value in
            let objection = ClientProperty.objection(to: name, value.reveal(), of: "the worker")
            isEachTaken = isEachTaken && objection == nil
            return objection
        }
        guard isEachTaken, !self.extra.values.isEmpty else { return }
        if let objection = ClientProperty.objection(to: self.consumerProperties()) {
            reader.reportFault("properties", objection)
        }
    }

    /// Returns librdkafka's properties for the consumer.
    ///
    /// - Parameter thread: The number of the consumer if this process has several; nil if it has one.
    package func consumerProperties(thread: Int? = nil) -> [String: String] {
        var own = [
            "bootstrap.servers": self.brokers,
            "group.id": self.group,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": "true",
            // Eager assignors: librdkafka before 2.10 can lose an assignment to a commit during a cooperative
            // rebalance.
            "partition.assignment.strategy": "range,roundrobin",
            "session.timeout.ms": Self.milliseconds(self.sessionTimeout),
            "heartbeat.interval.ms": Self.milliseconds(min(.seconds(3), self.sessionTimeout / 4)),
            // librdkafka takes no session that is longer than this.
            "max.poll.interval.ms": Self.milliseconds(max(.seconds(300), self.sessionTimeout)),
            // New partitions are read after this time at the latest. A look at the metadata is one small
            // request.
            "topic.metadata.refresh.interval.ms": "10000",
            "fetch.wait.max.ms": Self.milliseconds(self.fetchWait),
            // Each partition fetches ahead on its own. Together these properties bound what librdkafka holds.
            "queued.min.messages": "256",
            "queued.max.messages.kbytes": "512",
            "fetch.message.max.bytes": "262144",
            "fetch.max.bytes": "4194304",
            "receive.message.max.bytes": "104857600",
        ]
        // With a name, this is a static member (KIP-345): the group keeps its partitions for it until the
        // session timeout.
        own["group.instance.id"] = self.instanceName(thread)
        return own.merging(self.extraProperties) { $1 }
    }

    /// The properties of the consumer for a reader that is no member of a group.
    package var readerProperties: [String: String] {
        let ofMembers: Set<String> = [
            "group.id", "group.instance.id", "session.timeout.ms", "heartbeat.interval.ms",
            "max.poll.interval.ms", "partition.assignment.strategy",
        ]
        return self.consumerProperties().filter { !ofMembers.contains($0.key) }
    }

    /// Returns librdkafka's properties for the producer.
    ///
    /// - Parameter transactionalID: The name of the producer's transactions; nil for a producer without
    ///   transactions.
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
            // A record that is not acknowledged by then ends its transaction, while there is still time to
            // abort it in good order.
            own["message.timeout.ms"] = Self.milliseconds(self.transactionTimeout * 2 / 3)
        }
        return own.merging(self.extraProperties) { $1 }
    }

    /// Returns the name of a producer's transactions, which no other process uses.
    ///
    /// A process that has a name of its own (`kafka.instance`) takes up its old transactional id after a
    /// restart, and so ends at once the transaction that it had left open. Without such a name each call
    /// returns a new id, and `transaction_timeout` ends that transaction.
    ///
    /// - Parameter thread: The number of the producer if this process has several; nil if it has one.
    package func transactionalID(thread: Int? = nil) -> String {
        // An instance name contains no slash, so two groups never share a name.
        self.instanceName(thread).map { "\(self.group)/\($0)" } ?? "\(self.group)-\(UUID().uuidString)"
    }

    /// The right to the transactional ids of `transactionalID`.
    ///
    /// - Parameter hasThreads: Whether this process has several producers.
    func rightToTransactions(hasThreads: Bool) -> NeededRight {
        let resource: NeededRight.Resource =
            switch self.instance {
            case nil: .transactionalIDs(prefix: "\(self.group)-")
            case let name? where hasThreads: .transactionalIDs(prefix: "\(self.group)/\(name)-")
            case let name?: .transactionalID("\(self.group)/\(name)")
            }
        return NeededRight(.write, resource, for: "its transactions")
    }

    /// The name by which the cluster knows this client, such as `User:alice`; nil if the settings do not tell.
    package var principal: String? { ClientPrincipal.principal(of: self.extraProperties) }

    /// The files with the user name and password of this client, which take effect when they change.
    package var watchedFiles: [SecretFileWatch.File] { self.extra.watchedFiles }

    /// The certificates of this client and of its authorities.
    package var certificates: ClientCertificates { ClientCertificates(self.extraProperties) }

    private func instanceName(_ thread: Int?) -> String? {
        self.instance.map { name in thread.map { "\(name)-\($0)" } ?? name }
    }

    private var extraProperties: [String: String] {
        self.extra.values.mapValues { $0.reveal() }
    }

    private static func milliseconds(_ duration: Duration) -> String { String(duration.wholeMilliseconds) }
}

extension SettingsReader {
    /// Reads the routes of dead letters; without the setting there are none.
    fileprivate func deadLetterRoutes() -> DeadLetterRoutes {
        let texts = self.strings(
            "dead_letter_routes",
            default: [],
            help:
                "Other topics for dead letters with some reasons: REASON=TOPIC, where the reason may end with *. The first "
                + "that fits counts, and dead_letter_topic gets the rest."
        )
        do {
            return try DeadLetterRoutes(texts)
        } catch {
            self.reportFault("dead_letter_routes", error.description)
            return DeadLetterRoutes()
        }
    }

    /// Reads a name that Kafka accepts for a member, with room for the number of a thread.
    fileprivate func instanceName() -> String? {
        self.value(
            "instance",
            type: "text",
            defaultText: nil,
            isRequired: false,
            help:
                "This worker's own name in the group, the same after a restart, such as a StatefulSet's pod name. "
                + "A worker that comes back within session_timeout takes up its partitions, and the others go on."
        ) { text throws(SettingRejection) in
            let isName = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
            guard isName, (1...240).contains(text.utf8.count), text != ".", text != ".." else {
                throw SettingRejection("must be 1 to 240 letters, digits, '.', '_' and '-'")
            }
            return text
        }
    }
}
