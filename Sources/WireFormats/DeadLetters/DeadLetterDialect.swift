/// Whose headers a dead letter tells its story in.
package enum DeadLetterDialect: String, Hashable, Sendable, CaseIterable {
    /// Ours: `dlq.*`, with Kafka's own `__dlq.errors.*` beside it.
    case flotilla
    /// What Kafka's brokers write for share groups (KIP-1191): `__dlq.errors.*` alone.
    case kip1191
    /// Spring for Apache Kafka: `kafka_dlt-*`, and `kafka_original-*` where it went through retry topics.
    case spring
    /// Kafka Connect: `__connect.errors.*`.
    case connect
    /// Kafka Streams (KIP-1034): `__streams.errors.*`.
    case streams
    /// Karafka: `source_*`, and `original_*` before its version 2.4.
    case karafka
    /// Watermill's poison queue: `*_poisoned`.
    case watermill
    /// No headers that we know, or only such as `x-original-topic` that many use and nobody has written down.
    case unknown
}

extension DeadLetterDialect {
    /// Whether a message may be seen by anybody. Ours hold nothing personal; an exception of somebody else's may quote
    /// the record.
    package var hasPublicMessages: Bool { self == .flotilla }

    /// What a record's headers begin with that this dialect has put there.
    private var noticePrefixes: [StaticString] {
        switch self {
        case .flotilla, .karafka, .watermill, .unknown: []
        case .kip1191: ["__dlq.errors."]
        case .spring:
            ["kafka_dlt-", "kafka_original-", "kafka_exception-", "kafka_key-exception-", "retry_topic-"]
        case .connect: ["__connect.errors."]
        case .streams: ["__streams.errors."]
        }
    }

    private var noticeNames: Set<String> {
        switch self {
        case .flotilla: DeadLetterNotice.headerNames
        case .kip1191, .connect, .streams: []
        case .spring: Self.springNames
        case .karafka: Self.karafkaNames
        case .watermill: Self.watermillNames
        case .unknown: Self.unknownNames
        }
    }

    /// What a listener container and an `ErrorHandlingDeserializer` leave on a record.
    private static let springNames: Set<String> = [
        "kafka_deliveryAttempt", "springDeserializerExceptionKey", "springDeserializerExceptionValue",
    ]
    private static let karafkaNames: Set<String> = [
        "source_topic", "source_partition", "source_offset", "source_consumer_group", "source_attempts",
        "source_trace_id",
        "original_topic", "original_partition", "original_offset", "original_consumer_group", "original_key",
        "original_attempts",
    ]
    private static let watermillNames: Set<String> = [
        "reason_poisoned", "topic_poisoned", "handler_poisoned", "subscriber_poisoned",
    ]
    private static let unknownNames: Set<String> = [
        "x-original-topic", "x-original-partition", "x-original-offset", "x-error-message",
        "x-exception-message",
    ]
    /// What a replay says; the next one says it anew, whoever wrote the letter.
    private static let replayNames: Set<String> = [
        "dlq.replay_of", "dlq.replay_id", "dlq.replay_count", "dlq.edited",
    ]

    func isNotice(_ name: String) -> Bool {
        Self.replayNames.contains(name) || self.noticeNames.contains(name)
            || self.noticePrefixes.contains { name.utf8.starts(with: $0.description.utf8) }
    }
}
