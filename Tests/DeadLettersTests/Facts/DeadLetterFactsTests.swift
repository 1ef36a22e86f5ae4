import Cryptography
import Records
import TestMaterial
import Testing
import WireFormats

@testable import DeadLetters

/// A header in one line, for tables. A name alone is a header without a value.
private func headers(_ lines: String...) -> [RecordHeader] {
    lines.map { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return RecordHeader(String(parts[0]), parts.count == 2 ? Array(parts[1].utf8) : nil)
    }
}

private func facts(_ lines: [RecordHeader]) -> DeadLetterFacts { DeadLetterFacts(HeaderBlock(lines)) }

/// As Spring writes a number.
private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
}

@Suite struct DeadLetterFactsTests {
    static let own = [
        RecordHeader("content-type", "application/json"), RecordHeader("dlq", "mine"),
        RecordHeader("traceparent", "00-1-2-01"),
    ]

    // MARK: Ours

    @Test func readsAllThatANoticeSays() {
        var notice = DeadLetterNotice.ofActivation
        notice.reason = Reason("gdt.-1", "Illegal: \u{1b}[31mred")
        let read = facts(notice.headers(over: Self.own))
        var expected = facts([])
        expected.dialect = .flotilla
        expected.claimedID = notice.id
        expected.sourceTopic = "activation"
        expected.sourcePartition = 3
        expected.sourceOffset = 42
        expected.sourceGroup = "activation-worker"
        expected.originalTimestamp = 1_795_248_000_000
        expected.kind = "rejected"
        expected.reason = "gdt.-1"
        expected.message = "Illegal: \u{1b}[31mred"
        expected.replayable = .afterFix
        expected.attempts = 2
        expected.firstFailedAt = 1_795_248_001_000
        expected.failedAt = 1_795_248_002_500
        expected.upstream = "gdt"
        expected.upstreamStatus = 200
        expected.upstreamRequestID = "r-1"
        expected.worker = "activation-worker"
        expected.workerVersion = "1.2.3"
        #expect(read == expected)
    }

    /// Only our own words about a field name one, and no text of a publisher can become a name.
    @Test(arguments: [
        ("field.wrong_type", "The value of `value` is a number; it has to be a whole number.", "value"),
        ("field.wrong_type", "The value of `items[0].price` is null.", "items[0].price"),
        ("field.wrong_type", "The value of `value` is not that of `other`.", "value"),
        ("gdt.-1", "The value of `value` is a number.", nil), ("field.wrong_type", "No name.", nil),
        ("field.wrong_type", "An `open name", nil), ("field.wrong_type", "An empty `` name", nil),
        ("field.wrong_type", "`two words`", nil), ("field.wrong_type", "`\u{1b}[31m`", nil),
        ("field.wrong_type", "`\(String(repeating: "a", count: 64))`", String(repeating: "a", count: 64)),
        ("field.wrong_type", "`\(String(repeating: "a", count: 65))`", nil),
    ])
    func theReasonsOfFieldsNameTheField(code: String, message: String, field: String?) {
        var notice = DeadLetterNotice.ofActivation
        notice.reason = Reason(code, message)
        #expect(facts(notice.headers(over: Self.own)).field == field)
    }

    @Test(arguments: DeadLetter.Class.allCases, DeadLetter.Replayable.allCases)
    func readsEveryClass(kind: DeadLetter.Class, replayable: DeadLetter.Replayable) {
        var notice = DeadLetterNotice.ofActivation
        (notice.kind, notice.replayable) = (kind, replayable)
        let read = facts(notice.headers)
        #expect(read.kind == kind.rawValue)
        #expect(read.replayable == replayable)
    }

    @Test func readsWhatWasLeftOut() {
        let notice = DeadLetterNotice.ofActivation
        var record = InboundRecord(topic: "activation", partition: 3, offset: 42)
        record.key = Array(repeating: 1, count: 3_000)
        record.value = Array(repeating: 7, count: 5_000)
        record.headers = [RecordHeader("mine", Array(repeating: 7, count: 5_000))]
        func omission(_ limit: Int) -> DeadLetterFacts.Omission? {
            facts(notice.record(of: record, to: "t", encodedBytesLimit: limit).headers).omission
        }
        #expect(omission(100_000) == nil)
        let some = omission(10_000)
        #expect(some?.valueOmitted == true && some?.valueBytes == 5_000 && some?.headersOmitted == false)
        #expect(
            some?.valueSHA256
                == String(
                    decoding: Digest.sha256.hexadecimal(Array(repeating: 7, count: 5_000)),
                    as: UTF8.self
                )
        )
        #expect(omission(5_000)?.headersOmitted == true && omission(5_000)?.keyOmitted == false)
        #expect(omission(1_000)?.keyOmitted == true)
    }

    @Test func readsWhatAReplaySays() {
        let digest = String(repeating: "0f", count: 32)
        let read = facts(
            headers(
                "dlq.replay_count=3",
                "dlq.replay_of=dl-1",
                "dlq.replay_id=r-77",
                "dlq.edited=\(digest)"
            )
        )
        #expect(read.dialect == .unknown)
        #expect((read.replayCount, read.replayOf, read.replayID) == (3, "dl-1", "r-77"))
        #expect(read.editedSHA256 == digest)
    }

    // MARK: Lies

    @Test(arguments: [
        ("dlq.id", "dl-0123456789ABCDEF0123456789abcdef"), ("dlq.id", "dl-0123"),
        ("dlq.id", "xx-0123456789abcdef0123456789abcdef"), ("dlq.class", "dead"), ("dlq.class", ""),
        ("dlq.reason", ""), ("dlq.reason", "two words"), ("dlq.reason", "a\nb"), ("dlq.reason", "<b>"),
        ("dlq.reason", String(repeating: "a", count: 121)),
        ("__dlq.errors.topic", ""), ("__dlq.errors.topic", "."), ("__dlq.errors.topic", ".."),
        ("__dlq.errors.topic", "a/b"), ("__dlq.errors.topic", String(repeating: "t", count: 250)),
        ("__dlq.errors.partition", "-1"), ("__dlq.errors.partition", "2147483648"),
        ("__dlq.errors.partition", "\u{0}\u{0}\u{0}\u{1}"),
        ("__dlq.errors.offset", "9223372036854775808"), ("__dlq.errors.offset", "1e3"),
        ("__dlq.errors.group", String(repeating: "g", count: 257)),
        ("dlq.failed_at", "yesterday"), ("dlq.failed_at", "2026-13-01T00:00:00Z"),
        ("dlq.failed_at", "2026-02-30T00:00:00Z"), ("dlq.failed_at", "2026-01-01T24:00:00Z"),
        ("dlq.attempts", "many"), ("dlq.attempts", "4294967296"), ("dlq.upstream_status", "20"),
        ("dlq.upstream_status", "2000"), ("dlq.replayable", "maybe"), ("dlq.replay_count", "-3"),
        ("dlq.replay_of", "with space"), ("dlq.replay_id", String(repeating: "r", count: 129)),
        ("dlq.edited", "0F"),
    ])
    func doesNotBelieve(name: String, value: String) {
        // Something that makes it ours, beside the lie.
        let frame = [RecordHeader(name == "dlq.id" ? "dlq.class" : "dlq.id", "x")]
        #expect(facts(frame + [RecordHeader(name, value)]) == facts(frame))
        #expect(facts(frame).dialect == .flotilla)
    }

    @Test(arguments: DeadLetterField.allCases)
    func doesNotBelieveBytesThatAreNoText(field: DeadLetterField) throws {
        let name = try #require(DeadLetterField.names[field])
        let broken = facts([RecordHeader(name, [0xFF, 0xFE, 0x00, 0xC3])])
        let absent = facts([RecordHeader(name, nil)])
        #expect(broken.reason == "unknown")
        #expect(
            [broken.sourceTopic, broken.sourceGroup, broken.worker, broken.upstream] == [nil, nil, nil, nil]
        )
        #expect((absent.message, absent.reason) == ("", "unknown"))
    }

    @Test func countsTheLastOfTwo() {
        #expect(facts(headers("dlq.reason=a", "dlq.reason=b", "dlq.class=invalid")).reason == "b")
        #expect(facts(headers("dlq.reason=a", "dlq.reason")).reason == "unknown")
    }

    @Test(arguments: [
        ("7", 7), ("1000001", 1_000_000), (String(repeating: "9", count: 500), 1_000_000), ("x", 0),
    ])
    func boundsTheCountOfReplays(text: String, count: Int) {
        #expect(facts(headers("dlq.replay_count=\(text)")).replayCount == count)
    }

    @Test func boundsAMessage() {
        let long = String(repeating: "é", count: 5_000)
        let message = facts(headers("dlq.id=", "__dlq.errors.message=\(long)")).message
        #expect(message.utf8.count == 1_024)
        #expect(message.allSatisfy { $0 == "é" })
        let binary = facts([RecordHeader("reason_poisoned", [UInt8](repeating: 0xFF, count: 5_000))]).message
        #expect(binary.utf8.count <= 1_024 && binary.unicodeScalars.allSatisfy { $0 == "\u{FFFD}" })
    }

    @Test(arguments: [
        "Bad\n\tat com.example.A.b(A.java:3)", "Bad\n    at Object.<anonymous> (a.js:1:1)",
        "Bad\nCaused by: java.lang.Error", "Bad\ngoroutine 1 [running]:",
        "Bad\nTraceback (most recent call last):",
    ])
    func leavesOutAStackTrace(text: String) {
        #expect(facts(headers("reason_poisoned=\(text)")).message == "Bad")
    }

    @Test func keepsOtherLines() {
        #expect(
            facts(headers("reason_poisoned=2 errors:\n* attached\n* at last")).message.hasSuffix("at last")
        )
    }

    // MARK: Spring

    static let spring: [RecordHeader] = [
        RecordHeader("kafka_dlt-original-topic", "orders"),
        RecordHeader("kafka_dlt-original-partition", bytes(Int32(12))),
        RecordHeader("kafka_dlt-original-offset", bytes(Int64(81_985_529_216))),
        RecordHeader("kafka_dlt-original-timestamp", bytes(Int64(1_795_248_000_250))),
        RecordHeader("kafka_dlt-original-timestamp-type", "CreateTime"),
        RecordHeader("kafka_dlt-original-consumer-group", "billing"),
        RecordHeader(
            "kafka_dlt-exception-fqcn",
            "org.springframework.kafka.listener.ListenerExecutionFailedException"
        ),
        RecordHeader("kafka_dlt-exception-cause-fqcn", "com.example.Outer$NotPaidException"),
        RecordHeader("kafka_dlt-exception-message", "Listener failed; not paid"),
        RecordHeader("kafka_dlt-exception-stacktrace", "java.lang.Error\n\tat x"),
        RecordHeader("retry_topic-attempts", bytes(Int32(4))),
    ]

    @Test func readsSpring() {
        let read = facts(Self.own + Self.spring)
        #expect(read.dialect == .spring)
        #expect((read.sourceTopic, read.sourcePartition, read.sourceOffset) == ("orders", 12, 81_985_529_216))
        #expect((read.originalTimestamp, read.sourceGroup) == (1_795_248_000_250, "billing"))
        #expect((read.kind, read.reason) == ("exception", "Outer$NotPaidException"))
        #expect(read.message == "Listener failed; not paid")
        #expect((read.attempts, read.worker) == (4, "billing"))
    }

    @Test func readsSpringWithoutACause() {
        let read = facts(Self.spring.filter { !$0.name.contains("cause") })
        #expect(read.reason == "ListenerExecutionFailedException")
    }

    @Test func readsSpringInText() {
        let read = facts(
            headers(
                "kafka_dlt-original-topic=orders.DLT",
                "kafka_dlt-original-partition=1234",
                "kafka_dlt-original-offset=12345678",
                "kafka_dlt-original-timestamp=1795248000250"
            )
        )
        #expect(
            (read.sourcePartition, read.sourceOffset, read.originalTimestamp) == (
                1_234, 12_345_678, 1_795_248_000_250
            )
        )
        #expect((read.kind, read.reason) == ("unknown", "unknown"))
    }

    @Test func readsSpringsRetryTopics() {
        let read = facts([
            RecordHeader("kafka_original-topic", "orders"),
            RecordHeader("kafka_original-partition", bytes(Int32(2))),
            RecordHeader("kafka_original-offset", bytes(Int64(9))),
            RecordHeader("kafka_original-timestamp", bytes(Int64(5_000))),
            RecordHeader("kafka_exception-fqcn", "java.net.SocketTimeoutException"),
            RecordHeader("kafka_exception-message", "Read timed out"),
            RecordHeader("retry_topic-attempts", [2]),
        ])
        #expect((read.dialect, read.sourceTopic, read.sourcePartition) == (.spring, "orders", 2))
        #expect((read.sourceOffset, read.originalTimestamp, read.attempts) == (9, 5_000, 2))
        #expect((read.reason, read.message) == ("SocketTimeoutException", "Read timed out"))
    }

    @Test func readsAKeyThatCouldNotBeRead() {
        let read = facts(
            headers(
                "kafka_dlt-original-topic=orders",
                "kafka_dlt-key-exception-fqcn=org.example.DeserializationException",
                "kafka_dlt-key-exception-message=no key"
            )
        )
        #expect((read.reason, read.message) == ("DeserializationException", "no key"))
    }

    // MARK: The others

    @Test func readsConnect() {
        let read = facts(
            headers(
                "__connect.errors.topic=orders",
                "__connect.errors.partition=3",
                "__connect.errors.offset=17",
                "__connect.errors.connector.name=sink",
                "__connect.errors.task.id=0",
                "__connect.errors.stage=VALUE_CONVERTER",
                "__connect.errors.class.name=org.apache.kafka.connect.json.JsonConverter",
                "__connect.errors.exception.class.name=org.apache.kafka.connect.errors.DataException",
                "__connect.errors.exception.message=Converting byte[] to Kafka Connect data failed"
            )
        )
        #expect(
            (read.dialect, read.sourceTopic, read.sourcePartition, read.sourceOffset) == (
                .connect, "orders", 3, 17
            )
        )
        #expect((read.kind, read.reason, read.worker) == ("exception", "DataException", "sink"))
        #expect(read.message == "Converting byte[] to Kafka Connect data failed")
    }

    @Test func believesNoPlaceThatConnectDidNotKnow() {
        let read = facts(
            headers("__connect.errors.topic=", "__connect.errors.partition=-1", "__connect.errors.offset=-1")
        )
        #expect(read.dialect == .connect)
        #expect((read.sourceTopic, read.sourcePartition, read.sourceOffset) == (nil, nil, nil))
    }

    @Test func readsStreams() {
        let read = facts(
            headers(
                "__streams.errors.exception=org.apache.kafka.common.errors.SerializationException: bad bytes",
                "__streams.errors.stacktrace=x",
                "__streams.errors.message=bad bytes",
                "__streams.errors.topic=clicks",
                "__streams.errors.partition=0",
                "__streams.errors.offset=5",
                "__streams.errors.processor.node.id=KSTREAM-MAP-1"
            )
        )
        #expect(
            (read.dialect, read.sourceTopic, read.sourcePartition, read.sourceOffset) == (
                .streams, "clicks", 0, 5
            )
        )
        #expect(
            (read.reason, read.message, read.worker) == (
                "SerializationException", "bad bytes", "KSTREAM-MAP-1"
            )
        )
    }

    @Test(arguments: [
        ("Offset rejected by client.", "rejected", "rejected_by_client"),
        ("Offset delivery count exceeded the threshold.", "exhausted", "delivery_count"),
        ("Something new.", "unknown", "unknown"),
    ])
    func readsShareGroups(message: String, kind: String, reason: String) {
        let read = facts(
            headers(
                "__dlq.errors.topic=orders",
                "__dlq.errors.partition=2",
                "__dlq.errors.offset=41",
                "__dlq.errors.group=workers",
                "__dlq.errors.delivery.count=5",
                "__dlq.errors.message=\(message)"
            )
        )
        #expect(
            (read.dialect, read.sourceTopic, read.sourcePartition, read.sourceOffset) == (
                .kip1191, "orders", 2, 41
            )
        )
        #expect((read.sourceGroup, read.worker, read.attempts) == ("workers", "workers", 5))
        #expect((read.kind, read.reason, read.message) == (kind, reason, message))
    }

    @Test(arguments: [
        [
            "source_topic=orders", "source_partition=1", "source_offset=8", "source_consumer_group=app",
            "source_attempts=3",
        ],
        [
            "original_topic=orders", "original_partition=1", "original_offset=8",
            "original_consumer_group=app",
            "original_attempts=3", "original_key=k",
        ],
    ])
    func readsKarafka(lines: [String]) {
        let read = facts(lines.flatMap { headers($0) })
        #expect(
            (read.dialect, read.sourceTopic, read.sourcePartition, read.sourceOffset) == (
                .karafka, "orders", 1, 8
            )
        )
        #expect((read.sourceGroup, read.worker, read.attempts) == ("app", "app", 3))
        #expect((read.kind, read.reason) == ("exception", "unknown"))
    }

    /// A consumer can add what went wrong, by the names that Karafka's examples use.
    @Test(arguments: [
        (
            ["error_class=ActiveRecord::RecordInvalid", "error_message=timed out"], "RecordInvalid",
            "timed out"
        ),
        (["error_class=StandardError"], "StandardError", ""),
        (
            ["error_message=Net::ReadTimeout: timed out after 5 s"], "timeout",
            "Net::ReadTimeout: timed out after 5 s"
        ),
        (["error_class=::", "error_message="], "unknown", ""),
        (["error_class=A:::B"], "unknown", ""),
    ])
    func readsWhatAConsumerOfKarafkaAdds(lines: [String], reason: String, message: String) {
        let place = ["source_topic=orders", "source_partition=1", "source_offset=8"]
        let read = facts((place + lines).flatMap { headers($0) })
        #expect((read.dialect, read.kind, read.reason) == (.karafka, "exception", reason))
        #expect(read.message == message)
    }

    @Test func takesNoCommonNameForKarafkas() {
        #expect(facts(headers("source_topic=orders", "source_offset=8")).dialect == .unknown)
        #expect(facts(headers("dlq.id=x", "source_offset=north")).dialect == .flotilla)
    }

    @Test func readsWatermill() {
        let read = facts(
            headers(
                "reason_poisoned=dial tcp 10.0.0.1:5432: connection refused",
                "topic_poisoned=orders",
                "handler_poisoned=bill",
                "subscriber_poisoned=kafka.Subscriber"
            )
        )
        #expect((read.dialect, read.sourceTopic, read.sourcePartition) == (.watermill, "orders", nil))
        #expect((read.kind, read.reason, read.worker) == ("exception", "connection_refused", "bill"))
    }

    @Test func readsWhatManyWrite() {
        let read = facts(
            headers(
                "x-original-topic=orders",
                "x-original-partition=1",
                "x-original-offset=2",
                "x-error-message=timed out"
            )
        )
        #expect(
            (read.dialect, read.sourceTopic, read.sourcePartition, read.sourceOffset) == (
                .unknown, "orders", 1, 2
            )
        )
        #expect((read.kind, read.reason, read.message) == ("unknown", "timeout", "timed out"))
    }

    @Test func knowsNothingOfARecordWithoutHeaders() {
        let read = facts([])
        #expect((read.dialect, read.kind, read.reason, read.message) == (.unknown, "unknown", "unknown", ""))
    }

    // MARK: Times

    /// The short way reads what the long way reads, or leaves it to that.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func readsTimesAsEverybodyDoes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let time = Int64.random(in: RFC3339.range, using: &random)
        var text = Array(RFC3339.string(time).utf8)
        #expect(RFC3339.milliseconds(inUTC: text[...]) == time)
        text[Int.random(in: text.indices, using: &random)] = .random(in: 0x20...0x7E, using: &random)
        let short = RFC3339.milliseconds(inUTC: text[...])
        #expect(
            short == nil || short == RFC3339.milliseconds(text),
            "\(String(decoding: text, as: UTF8.self))"
        )
    }

    // MARK: The last word

    @Test func listensToTheLastDeath() {
        let ours = DeadLetterNotice.ofActivation.headers
        #expect(facts(Self.spring + ours).dialect == .flotilla)
        #expect(facts(ours + Self.spring).dialect == .spring)
        #expect(facts(ours + headers("reason_poisoned=x")).dialect == .watermill)
    }

    // MARK: Headers to take away

    @Test func takesAwayWhatItReads() {
        for field in DeadLetterField.allCases {
            let name = DeadLetterField.names[field] ?? ""
            #expect(DeadLetterDialect.allCases.contains { DeadLetterFacts.isNotice(name, of: $0) }, "\(name)")
        }
    }

    @Test(arguments: DeadLetterDialect.allCases)
    func leavesWhatIsTheRecordsOwn(dialect: DeadLetterDialect) {
        for name in [
            "content-type", "traceparent", "ce_id", "dlq", "dlq.mine", "kafka_key", "source", "", "x-tenant",
        ] {
            #expect(!DeadLetterFacts.isNotice(name, of: dialect), "\(name)")
        }
        for name in ["dlq.replay_of", "dlq.replay_id", "dlq.replay_count", "dlq.edited"] {
            #expect(DeadLetterFacts.isNotice(name, of: dialect))
        }
    }

    @Test func takesNothingThatAnotherDialectWrote() {
        #expect(DeadLetterFacts.isNotice("dlq.class", of: .flotilla))
        #expect(!DeadLetterFacts.isNotice("dlq.class", of: .spring))
        #expect(DeadLetterFacts.isNotice("kafka_dlt-exception-stacktrace", of: .spring))
        #expect(!DeadLetterFacts.isNotice("kafka_dlt-exception-stacktrace", of: .flotilla))
        #expect(!DeadLetterFacts.isNotice("source_topic", of: .watermill))
    }

    @Test func knowsAPointer() {
        var letter = InboundRecord(topic: "d", partition: 0, offset: 0)
        #expect(facts(headers("__dlq.errors.topic=t")).isPointer(letter))
        letter.value = []
        #expect(!facts(headers("__dlq.errors.topic=t")).isPointer(letter))
        #expect(facts(headers("dlq.id=x", "dlq.value_omitted=too_large")).isPointer(letter))
        #expect(!facts(headers("dlq.id=x")).isPointer(letter))
    }
}
