internal import CRdKafka

/// Decides which of librdkafka's properties, such as those of TLS and SASL, an operator may set for a
/// program.
package enum ClientProperty {
    /// Returns why a property may not be set, as a sentence without its full stop; nil if it may. The text
    /// never repeats the value, which may be a secret.
    ///
    /// - Parameter owner: the program whose guarantees depend on the properties that it sets itself, such as
    ///   "the worker" in "belongs to the worker and cannot be set".
    package static func objection(to name: String, _ value: String, of owner: String) -> String? {
        if self.own.contains(name) || name.hasSuffix("_cb") {
            let reason = self.rebalancing.contains(name) ? ": \(self.whyEager)" : ""
            return "\(name) belongs to \(owner) and cannot be set" + reason
        }
        // librdkafka checks the property here, since a property that it refuses would otherwise end the
        // program at its start.
        do throws(KafkaError) {
            let settings = try ClientSettings([name: value], events: 0)
            // The number that librdkafka has understood is judged: it reads " 0x10" and "16ms" as 16.
            guard let bound = PropertyBound.all[name],
                let number = settings.text(of: name).flatMap(Double.init)
            else { return nil }
            return bound.objection(to: number, of: name)
        } catch {
            return error.message
        }
    }

    /// Returns why librdkafka takes no consumer with all these properties together, as a sentence without its
    /// full stop; nil if it does. Such a contradiction, or a certificate that cannot be read, would otherwise
    /// end the program at its start. No broker is asked.
    package static func objection(to properties: [String: String]) -> String? {
        var properties = properties
        properties["bootstrap.servers"] = nil
        properties["log.queue"] = "true"
        do throws(KafkaError) {
            _ = try Client(RD_KAFKA_CONSUMER, properties, events: RD_KAFKA_EVENT_LOG)
            return nil
        } catch {
            return error.message
        }
    }

    /// All properties on which the guarantees of this package's programs depend, with every alias
    /// (librdkafka's CONFIGURATION.md).
    private static let own: Set<String> = [reading, membership, rebalancing, writing, whole].reduce([]) {
        $0.union($1)
    }

    /// Properties that decide which records are read, and from where. The programs read committed records
    /// only, and commit their offsets themselves.
    private static let reading: Set<String> = [
        "isolation.level", "enable.partition.eof", "auto.offset.reset", "enable.auto.commit",
        "auto.commit.enable", "auto.commit.interval.ms", "enable.auto.offset.store", "offset.store.method",
        "offset.store.path", "offset.store.sync.interval.ms", "consume.callback.max.messages",
        // New partitions are read after this time.
        "topic.metadata.refresh.interval.ms",
    ]

    /// Properties that decide how a member of a group behaves. The session has a setting of its own,
    /// `kafka.session_timeout`.
    private static let membership: Set<String> = [
        "group.id", "group.instance.id", "max.poll.interval.ms", "session.timeout.ms",
        "heartbeat.interval.ms",
    ]

    /// Properties that decide how the partitions of a group are shared anew.
    private static let rebalancing: Set<String> = [
        "group.protocol", "group.protocol.type", "group.remote.assignor", "partition.assignment.strategy",
    ]

    private static var whyEager: String {
        let version = unsafe String(cString: rd_kafka_version_str())
        return
            "rebalances are eager here with every librdkafka, because nothing else is built; before 2.10 it can lose an "
            + "assignment to a commit in a cooperative one, group.protocol=consumer needs 2.12, and this is librdkafka \(version)"
    }

    /// Properties that decide what the acknowledgement of a record means, how long it may take, and whether
    /// the order of records is kept.
    private static let writing: Set<String> = [
        "acks", "request.required.acks", "enable.idempotence", "enable.gapless.guarantee", "transactional.id",
        "transaction.timeout.ms", "message.timeout.ms", "delivery.timeout.ms", "message.max.bytes",
        "delivery.report.only.error", "go.delivery.reports", "produce.offset.report", "queuing.strategy",
        "retries", "message.send.max.retries", "max.in.flight", "max.in.flight.requests.per.connection",
        // This property limits the memory of records that are on their way. An operator may set the limit of
        // their number, since a full queue only costs time.
        "queue.buffering.max.kbytes",
    ]

    /// Properties of the client as a whole: the address of the cluster, the way in which events reach the
    /// program, and the protocol versions. Versions are always those of the cluster, because records lose
    /// their headers in old ones.
    private static let whole: Set<String> = [
        "bootstrap.servers", "metadata.broker.list", "log.queue", "enabled_events", "opaque", "interceptors",
        "default_topic_conf", "internal.termination.signal", "topic.blacklist", "api.version.request",
        "api.version.fallback.ms", "broker.version.fallback",
    ]
}
