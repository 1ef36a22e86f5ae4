/// The headers of all dialects that a fact is read from.
enum DeadLetterField: Int, CaseIterable {
    case id, kind, reason, attempts, firstFailedAt, failedAt, originalTimestamp
    case upstream, upstreamStatus, upstreamRequestID, worker, workerVersion, replayable
    case valueOmitted, valueBytes, valueSHA256, headersOmitted, keyOmitted
    case replayCount, replayOf, replayID, edited

    case kafkaTopic, kafkaPartition, kafkaOffset, kafkaGroup, kafkaDeliveries, kafkaMessage

    case springTopic, springPartition, springOffset, springTimestamp, springGroup
    case springException, springCause, springKeyException, springMessage, springKeyMessage
    case springOldTopic, springOldPartition, springOldOffset, springOldTimestamp, springOldGroup
    case springOldException, springOldCause, springOldMessage, springAttempts, springDeliveryAttempt

    case connectTopic, connectPartition, connectOffset, connectConnector, connectException, connectMessage
    case streamsTopic, streamsPartition, streamsOffset, streamsException, streamsMessage, streamsNode

    case karafkaTopic, karafkaPartition, karafkaOffset, karafkaGroup, karafkaAttempts
    case karafkaException, karafkaMessage
    case karafkaOldTopic, karafkaOldPartition, karafkaOldOffset, karafkaOldGroup, karafkaOldAttempts

    case watermillReason, watermillTopic, watermillHandler

    case plainTopic, plainPartition, plainOffset, plainMessage, plainException

    /// The dialect that a header of this name proves; nil if several dialects use the header or it proves
    /// nothing alone.
    var dialect: DeadLetterDialect? {
        switch self {
        case .id, .kind, .reason: .flotilla
        case .kafkaTopic, .kafkaOffset: .kip1191
        case .springTopic, .springException, .springOldTopic, .springOldException: .spring
        case .connectTopic, .connectException: .connect
        case .streamsTopic, .streamsException: .streams
        case .karafkaOffset, .karafkaOldOffset: .karafka
        case .watermillReason, .watermillTopic: .watermill
        default: nil
        }
    }

    /// Whether the field is Spring's, whose numbers may be the big-endian bytes of an integer instead of
    /// decimal digits.
    var isSpring: Bool { Self.springTopic.rawValue...Self.springDeliveryAttempt.rawValue ~= self.rawValue }

    /// Returns the number that the 1 to 8 bytes of a Java integer stand for, the highest byte first; nil for a negative
    /// number and for other bytes.
    static func binaryNumber(_ bytes: some Collection<UInt8>) -> Int64? {
        guard 1...8 ~= bytes.count, let first = bytes.first, first < 0x80 else { return nil }
        // Printable bytes that are no decimal number are a text, and no integer either.
        guard !bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The names of Spring's headers that hold a number. Spring writes the bytes of an integer.
    static let springNumbers = Set(
        [
            Self.springPartition, .springOffset, .springTimestamp, .springOldPartition, .springOldOffset,
            .springOldTimestamp, .springAttempts, .springDeliveryAttempt,
        ].compactMap { Self.names[$0] } + ["retry_topic-backoff-timestamp", "retry_topic-original-timestamp"]
    )

    /// The names of the headers in which a framework says why it gave up on the record.
    static let messageNames = Set(
        [
            Self.kafkaMessage, .springMessage, .springKeyMessage, .springOldMessage, .connectMessage,
            .streamsMessage, .streamsException, .karafkaMessage, .watermillReason, .plainMessage,
            .plainException,
        ].compactMap { Self.names[$0] }
    )
}

extension DeadLetterField {
    /// The header name of each field. Sources: `DeadLetterNotice` for ours; for the others
    /// `ShareGroupDLQStateManager` (Kafka), `KafkaHeaders` and `RetryTopicHeaders` (Spring),
    /// `DeadLetterQueueReporter` (Connect), `ExceptionHandlerUtils` (Streams), `build_dlq_message` (Karafka)
    /// and `poison.go` (Watermill).
    static let names: [DeadLetterField: String] = [
        .id: "dlq.id", .kind: "dlq.class", .reason: "dlq.reason", .attempts: "dlq.attempts",
        .firstFailedAt: "dlq.first_failed_at", .failedAt: "dlq.failed_at",
        .originalTimestamp: "dlq.original_timestamp", .upstream: "dlq.upstream",
        .upstreamStatus: "dlq.upstream_status", .upstreamRequestID: "dlq.upstream_request_id",
        .worker: "dlq.worker", .workerVersion: "dlq.worker_version", .replayable: "dlq.replayable",
        .valueOmitted: "dlq.value_omitted", .valueBytes: "dlq.value_bytes", .valueSHA256: "dlq.value_sha256",
        .headersOmitted: "dlq.headers_omitted", .keyOmitted: "dlq.key_omitted",
        .replayCount: "dlq.replay_count", .replayOf: "dlq.replay_of", .replayID: "dlq.replay_id",
        .edited: "dlq.edited",

        .kafkaTopic: "__dlq.errors.topic", .kafkaPartition: "__dlq.errors.partition",
        .kafkaOffset: "__dlq.errors.offset", .kafkaGroup: "__dlq.errors.group",
        .kafkaDeliveries: "__dlq.errors.delivery.count", .kafkaMessage: "__dlq.errors.message",

        .springTopic: "kafka_dlt-original-topic", .springPartition: "kafka_dlt-original-partition",
        .springOffset: "kafka_dlt-original-offset", .springTimestamp: "kafka_dlt-original-timestamp",
        .springGroup: "kafka_dlt-original-consumer-group", .springException: "kafka_dlt-exception-fqcn",
        .springCause: "kafka_dlt-exception-cause-fqcn", .springKeyException: "kafka_dlt-key-exception-fqcn",
        .springMessage: "kafka_dlt-exception-message", .springKeyMessage: "kafka_dlt-key-exception-message",
        .springOldTopic: "kafka_original-topic", .springOldPartition: "kafka_original-partition",
        .springOldOffset: "kafka_original-offset", .springOldTimestamp: "kafka_original-timestamp",
        .springOldGroup: "kafka_original-consumer-group", .springOldException: "kafka_exception-fqcn",
        .springOldCause: "kafka_exception-cause-fqcn", .springOldMessage: "kafka_exception-message",
        .springAttempts: "retry_topic-attempts", .springDeliveryAttempt: "kafka_deliveryAttempt",

        .connectTopic: "__connect.errors.topic", .connectPartition: "__connect.errors.partition",
        .connectOffset: "__connect.errors.offset", .connectConnector: "__connect.errors.connector.name",
        .connectException: "__connect.errors.exception.class.name",
        .connectMessage: "__connect.errors.exception.message",

        .streamsTopic: "__streams.errors.topic", .streamsPartition: "__streams.errors.partition",
        .streamsOffset: "__streams.errors.offset", .streamsException: "__streams.errors.exception",
        .streamsMessage: "__streams.errors.message", .streamsNode: "__streams.errors.processor.node.id",

        .karafkaTopic: "source_topic", .karafkaPartition: "source_partition",
        .karafkaOffset: "source_offset", .karafkaGroup: "source_consumer_group",
        .karafkaAttempts: "source_attempts",
        // A consumer's own `enhance_dlq_message` adds these: the names that Karafka's own examples use.
        .karafkaException: "error_class", .karafkaMessage: "error_message",
        .karafkaOldTopic: "original_topic", .karafkaOldPartition: "original_partition",
        .karafkaOldOffset: "original_offset", .karafkaOldGroup: "original_consumer_group",
        .karafkaOldAttempts: "original_attempts",

        .watermillReason: "reason_poisoned", .watermillTopic: "topic_poisoned",
        .watermillHandler: "handler_poisoned",

        .plainTopic: "x-original-topic", .plainPartition: "x-original-partition",
        .plainOffset: "x-original-offset", .plainMessage: "x-error-message",
        .plainException: "x-exception-message",
    ]
}

/// A table that finds the field of a header name without making a string of the name.
///
/// Header names of one length mostly differ near their ends, so the lookup compares them from the end.
struct DeadLetterFieldTable: Sendable {
    /// The bytes of all names, one after the other, sorted by length.
    private let bytes: [UInt8]
    /// The field of each name, in the order of `bytes`.
    private let fields: [DeadLetterField]
    /// The position in `bytes` at which each name starts.
    private let starts: [Int]
    /// For each name length, the index in `fields` of the first name that is at least so long.
    private let firstOfLength: [Int]

    static let shared = DeadLetterFieldTable()

    private init() {
        let sorted = DeadLetterField.allCases
            .compactMap { field in DeadLetterField.names[field].map { (field, Array($0.utf8)) } }
            .sorted { $0.1.count < $1.1.count }
        let longest = sorted.last?.1.count ?? 0
        self.fields = sorted.map(\.0)
        self.bytes = sorted.flatMap(\.1)
        self.starts = sorted.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.1.count) }.dropLast()
        self.firstOfLength = (0...longest + 1).map { length in
            sorted.firstIndex { $0.1.count >= length } ?? sorted.count
        }
    }

    /// Returns the field whose header name stands at `name` in the block's bytes; nil if no field has that
    /// name.
    func field(_ name: Range<Int>, in block: borrowing Span<UInt8>) -> DeadLetterField? {
        let length = name.count
        guard length + 1 < self.firstOfLength.count else { return nil }
        let names = self.bytes.span
        for candidate in self.firstOfLength[length]..<self.firstOfLength[length + 1] {
            let start = self.starts[candidate]
            var rest = length
            while rest > 0, block[name.lowerBound + rest - 1] == names[start + rest - 1] { rest -= 1 }
            if rest == 0 { return self.fields[candidate] }
        }
        return nil
    }
}
