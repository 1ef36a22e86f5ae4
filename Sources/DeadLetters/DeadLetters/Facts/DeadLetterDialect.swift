import WireFormats

/// The set of headers in which a dead letter describes its failure: ours, or that of another framework.
package enum DeadLetterDialect: String, Hashable, Sendable, CaseIterable {
    /// Headers of our workers: `dlq.*`, with Kafka's own `__dlq.errors.*` beside them.
    case flotilla
    /// Headers that Kafka's brokers write for share groups (KIP-1191): `__dlq.errors.*` alone.
    case kip1191
    /// Headers of Spring for Apache Kafka: `kafka_dlt-*`, and `kafka_original-*` for records that went
    /// through retry topics.
    case spring
    /// Headers of Kafka Connect: `__connect.errors.*`.
    case connect
    /// Headers of Kafka Streams (KIP-1034): `__streams.errors.*`.
    case streams
    /// Headers of Karafka: `source_*`, and `original_*` before its version 2.4.
    case karafka
    /// Headers of Watermill's poison queue: `*_poisoned`.
    case watermill
    /// No headers that we know, or only names such as `x-original-topic`, which many programs use and no
    /// document defines.
    case unknown
}

extension DeadLetterDialect {
    /// Whether the failure's message may be shown without masking. Our messages hold nothing personal. The
    /// exception message of another framework may quote the record.
    package var hasPublicMessages: Bool { self == .flotilla }

    /// The beginnings of header names that this dialect adds to a record when it dead-letters the record.
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

    /// The whole names of headers that this dialect adds to a record when it dead-letters the record.
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

    /// The headers that Spring's listener container and its `ErrorHandlingDeserializer` leave on a record.
    private static let springNames: Set<String> = [
        "kafka_deliveryAttempt", "springDeserializerExceptionKey", "springDeserializerExceptionValue",
    ]
    private static let karafkaNames: Set<String> = [
        "source_topic", "source_partition", "source_offset", "source_consumer_group", "source_attempts",
        "error_class", "error_message",
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
    /// The headers that a replay adds. They count as notice headers of every dialect, because the next replay
    /// writes them anew.
    private static let replayNames: Set<String> = [
        "dlq.replay_of", "dlq.replay_id", "dlq.replay_count", "dlq.edited",
    ]

    /// Whether a header of this name describes the failure or an earlier replay, and is not the record's own.
    func isNotice(_ name: String) -> Bool {
        // No name of the lists is as long, and anybody chooses the names of headers: hashing one can take hours.
        let isShort = name.utf8.count <= 128
        return isShort && (Self.replayNames.contains(name) || self.noticeNames.contains(name))
            || self.noticePrefixes.contains { name.utf8.starts(with: $0.description.utf8) }
    }
}
