/// Properties of librdkafka that an operator sets, such as those of TLS and SASL: which of them a program can take.
package enum ClientProperty {
    /// What is wrong with a property, as a sentence without its end; nil if nothing is. Never repeats the value.
    ///
    /// - Parameter owner: whose promises rest on what the program itself sets, as in "belongs to the worker".
    package static func objection(to name: String, _ value: String, of owner: String) -> String? {
        if self.own.contains(name) || name.hasSuffix("_cb") {
            return "\(name) belongs to \(owner) and cannot be set"
        }
        if self.lingers.contains(name), let wait = Double(value), wait > Double(self.longestLinger) {
            return "\(name) must not be above \(self.longestLinger): every record would wait so long"
        }
        // What librdkafka does not take would otherwise end the program when it starts.
        do throws(KafkaError) {
            _ = try ClientSettings([name: value], events: 0)
            return nil
        } catch {
            return error.message
        }
    }

    private static let lingers: Set<String> = ["linger.ms", "queue.buffering.max.ms"]
    /// Milliseconds. A transaction gives a record at least 1,333 to be acknowledged.
    private static let longestLinger = 1_000

    /// What the promises of our programs rest on, with every alias (librdkafka's CONFIGURATION.md).
    private static let own: Set<String> = reading.union(membership).union(writing).union(whole)

    /// What is read, and from where: committed records only, and offsets that we commit ourselves.
    private static let reading: Set<String> = [
        "isolation.level", "enable.partition.eof", "auto.offset.reset", "enable.auto.commit",
        "auto.commit.enable", "auto.commit.interval.ms", "enable.auto.offset.store", "offset.store.method",
        "offset.store.path", "offset.store.sync.interval.ms", "consume.callback.max.messages",
    ]

    /// How a member of a group behaves. The rebalances that we know are those of the classic protocol, and eager.
    private static let membership: Set<String> = [
        "group.id", "group.instance.id", "group.protocol", "group.protocol.type", "group.remote.assignor",
        "partition.assignment.strategy", "max.poll.interval.ms",
    ]

    /// What an acknowledged record means, how long it may take, and that its order holds.
    private static let writing: Set<String> = [
        "acks", "request.required.acks", "enable.idempotence", "enable.gapless.guarantee", "transactional.id",
        "transaction.timeout.ms", "message.timeout.ms", "delivery.timeout.ms", "message.max.bytes",
        "delivery.report.only.error", "go.delivery.reports", "produce.offset.report", "queuing.strategy",
        "retries", "message.send.max.retries", "max.in.flight", "max.in.flight.requests.per.connection",
        // Bounds the memory that records take on their way. Their number may be set: a full queue costs only time.
        "queue.buffering.max.kbytes",
    ]

    /// What the client as a whole rests on: where the cluster is, how events reach us, and that versions are the
    /// cluster's own, since records lose their headers in old ones.
    private static let whole: Set<String> = [
        "bootstrap.servers", "metadata.broker.list", "log.queue", "enabled_events", "opaque", "interceptors",
        "default_topic_conf", "internal.termination.signal", "topic.blacklist", "api.version.request",
        "api.version.fallback.ms", "broker.version.fallback",
    ]
}
