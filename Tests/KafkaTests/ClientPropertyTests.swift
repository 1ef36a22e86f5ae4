import Testing

@testable import Kafka

/// Properties that an operator may set, and those that a promise rests on.
struct ClientPropertyTests {
    private static func objection(_ name: String, _ value: String) -> String? {
        ClientProperty.objection(to: name, value, of: "the worker")
    }

    @Test(arguments: [
        ("isolation.level", "read_uncommitted"), ("enable.partition.eof", "true"),
        ("enable.auto.commit", "true"), ("auto.commit.enable", "true"), ("offset.store.method", "file"),
        ("auto.offset.reset", "latest"), ("message.timeout.ms", "1"), ("delivery.timeout.ms", "1"),
        ("acks", "0"), ("request.required.acks", "0"), ("enable.idempotence", "false"),
        ("enable.gapless.guarantee", "true"), ("transactional.id", "t"), ("transaction.timeout.ms", "1000"),
        ("retries", "0"), ("message.send.max.retries", "0"), ("max.in.flight", "10"),
        ("max.in.flight.requests.per.connection", "10"), ("queuing.strategy", "lifo"),
        ("delivery.report.only.error", "true"), ("dr_cb", "x"), ("dr_msg_cb", "x"), ("rebalance_cb", "x"),
        ("queue.buffering.max.kbytes", "2147483647"),
        ("group.id", "g"), ("group.instance.id", "i"),
        ("session.timeout.ms", "45000"), ("heartbeat.interval.ms", "3600000"),
        ("topic.metadata.refresh.interval.ms", "-1"),
        ("max.poll.interval.ms", "1000"), ("bootstrap.servers", "b:1"), ("metadata.broker.list", "b:1"),
        ("log.queue", "false"), ("enabled_events", "0"), ("api.version.request", "false"),
        ("broker.version.fallback", "0.8.2"), ("topic.blacklist", ".*"),
        ("internal.termination.signal", "29"),
    ])
    func aPromiseRestsOnIt(name: String, value: String) {
        #expect(Self.objection(name, value) == "\(name) belongs to the worker and cannot be set")
    }

    /// An operator who asks for a cooperative rebalance learns which librdkafka it takes, and which one this is.
    @Test(arguments: [
        ("group.protocol", "consumer"), ("group.protocol.type", "connect"),
        ("group.remote.assignor", "uniform"),
        ("partition.assignment.strategy", "cooperative-sticky"),
    ])
    func rebalancesAreEager(name: String, value: String) throws {
        let objection = try #require(Self.objection(name, value))
        #expect(
            objection.hasPrefix("\(name) belongs to the worker and cannot be set: rebalances are eager here")
        )
        #expect(objection.contains("2.10") && objection.contains("2.12"))
        #expect(objection.contains(/this is librdkafka [0-9]+\.[0-9]+\.[0-9]+$/))
    }

    @Test(arguments: [
        ("security.protocol", "ssl"), ("ssl.ca.location", "/etc/ca.pem"), ("sasl.mechanisms", "PLAIN"),
        ("sasl.username", "u"), ("sasl.password", "p"), ("client.id", "me"), ("client.rack", "a"),
        ("debug", "broker"), ("compression.type", "zstd"), ("linger.ms", "50"), ("linger.ms", "0.5"),
        ("socket.keepalive.enable", "true"), ("check.crcs", "true"), ("fetch.min.bytes", "1"),
        ("queue.buffering.max.messages", "16"),
        ("reconnect.backoff.ms", "10000"), ("reconnect.backoff.max.ms", "60000"),
        ("socket.timeout.ms", "1000"), ("socket.timeout.ms", "120000"), ("retry.backoff.ms", "10000"),
        ("metadata.max.age.ms", "10000"), ("metadata.max.age.ms", "3600000"),
        ("fetch.wait.max.ms", "5000"), ("queued.max.messages.kbytes", "1048576"),
    ])
    func anOperatorMaySetIt(name: String, value: String) {
        #expect(Self.objection(name, value) == nil)
    }

    /// The worker once took them, waited for an hour after each restart of a broker, and said nothing.
    @Test(arguments: [
        ("reconnect.backoff.ms", "10001", "above 10000: a broker that comes back would be found so late"),
        (
            "reconnect.backoff.max.ms", "3600000",
            "above 60000: a broker that comes back would be found so late"
        ),
        ("socket.timeout.ms", "120001", "above 120000: a broker that is gone would be waited for so long"),
        ("socket.timeout.ms", "999", "below 1000: answers of a busy broker would be given up"),
        (
            "socket.connection.setup.timeout.ms", "60001",
            "above 60000: a broker that is gone would be waited for so long"
        ),
        ("retry.backoff.ms", "10001", "above 10000: a request that failed would be repeated so late"),
        ("fetch.error.backoff.ms", "300000", "above 10000: a request that failed would be repeated so late"),
        ("fetch.wait.max.ms", "5001", "above 5000: a record could wait so long at its broker"),
        (
            "queued.max.messages.kbytes", "1048577",
            "above 1048576: records that were fetched ahead would take so much memory"
        ),
        (
            "metadata.max.age.ms", "86400000",
            "above 3600000: what was last heard of the cluster would be believed so long"
        ),
        (
            "metadata.max.age.ms", "9999",
            "below 10000: topics would be unknown between two looks at the cluster"
        ),
        // librdkafka reads a number as C does, and ignores what stands after it.
        ("reconnect.backoff.ms", " 3600000", "above 10000: a broker that comes back would be found so late"),
        ("reconnect.backoff.ms", "3600000ms", "above 10000: a broker that comes back would be found so late"),
        ("reconnect.backoff.ms", "0x36EE80", "above 10000: a broker that comes back would be found so late"),
    ])
    func aValueWithWhichAWorkerIsOfNoUseIsRefused(name: String, value: String, objection: String) {
        #expect(Self.objection(name, value) == "\(name) must not be \(objection)")
    }

    /// The worker once found out when it started, and ended.
    @Test(arguments: [
        ("no.such.property", "1", "no.such.property: no such property"),
        ("security.protocol", "hunter2", "security.protocol: not a valid value"),
        ("fetch.wait.max.ms", "-1", "fetch.wait.max.ms: not a valid value"),
        ("linger.ms", "1001", "linger.ms must not be above 1000: every record would wait so long"),
        (
            "queue.buffering.max.ms", "90000.5",
            "queue.buffering.max.ms must not be above 1000: every record would wait so long"
        ),
    ])
    func saysWhatLibrdkafkaWouldNotTake(name: String, value: String, objection: String) {
        #expect(Self.objection(name, value) == objection)
    }
}
