import Cryptography

/// The description of a failed record that a dead letter carries in headers beside the record's own.
package struct DeadLetterNotice: Hashable, Sendable {
    /// The place of a record when it was dead-lettered, and the consumer group that read it.
    package struct Source: Hashable, Sendable {
        /// The id of the Kafka cluster that the record was read from.
        package var clusterID: String
        /// The record's topic.
        package var topic: String
        /// The record's partition.
        package var partition: Int32
        /// The record's offset.
        package var offset: Int64
        /// The consumer group that read the record.
        package var group: String
        /// The record's timestamp in wall-clock milliseconds since 1970; nil if the record carries none.
        package var timestamp: Int64?

        package init(
            clusterID: String,
            topic: String,
            partition: Int32,
            offset: Int64,
            group: String,
            timestamp: Int64?
        ) {
            self.clusterID = clusterID
            self.topic = topic
            self.partition = partition
            self.offset = offset
            self.group = group
            self.timestamp = timestamp
        }
    }

    /// The place of the record, from which the letter's id is made.
    package var source: Source
    /// The class of the failure, for `dlq.class`.
    package var kind: DeadLetter.Class
    /// The code and the message of the failure. The message must hold nothing secret or personal; it is cut
    /// at 1 KiB.
    package var reason: Reason
    /// Whether publishing the record again can help, for `dlq.replayable`.
    package var replayable: DeadLetter.Replayable
    /// How many calls were made for the record; also stated as Kafka's delivery count.
    package var attempts: Int
    /// The time of the first failed attempt, in wall-clock milliseconds since 1970.
    package var firstFailedAt: Int64
    /// The time at which the record was dead-lettered, in wall-clock milliseconds since 1970.
    package var failedAt: Int64
    /// The name of the upstream; nil if the upstream was not called.
    package var upstream: String?
    /// The HTTP status of the upstream's last answer; nil if there was none.
    package var upstreamStatus: Int?
    /// The id that the upstream gave its last answer; nil if it gave none.
    package var upstreamRequestID: String?
    /// The name of the worker that dead-letters the record.
    package var worker: String
    /// The version of the worker that dead-letters the record.
    package var workerVersion: String

    package init(
        source: Source,
        kind: DeadLetter.Class,
        reason: Reason,
        replayable: DeadLetter.Replayable,
        attempts: Int,
        firstFailedAt: Int64,
        failedAt: Int64,
        upstream: String? = nil,
        upstreamStatus: Int? = nil,
        upstreamRequestID: String? = nil,
        worker: String,
        workerVersion: String
    ) {
        self.source = source
        self.kind = kind
        self.reason = reason
        self.replayable = replayable
        self.attempts = attempts
        self.firstFailedAt = firstFailedAt
        self.failedAt = failedAt
        self.upstream = upstream
        self.upstreamStatus = upstreamStatus
        self.upstreamRequestID = upstreamRequestID
        self.worker = worker
        self.workerVersion = workerVersion
    }

    /// The letter's id. Every attempt to write this dead letter has the same id, and no other dead letter has
    /// it.
    package var id: String { self.source.deadLetterID }
}

extension DeadLetterNotice.Source {
    /// The id of the dead letter for this place: `dl-` and the first half of a SHA-256 over `deadLetterText`,
    /// in hexadecimal digits.
    package var deadLetterID: String {
        "dl-" + String(decoding: Hexadecimal.encode(Array(self.deadLetterDigest.prefix(16))), as: UTF8.self)
    }

    /// The SHA-256 of `deadLetterText`, 32 bytes; the id shows the first 16.
    package var deadLetterDigest: [UInt8] { Digest.sha256(self.deadLetterText) }

    /// The bytes that the id is a digest of: cluster, topic, partition, offset and group, and the record's
    /// timestamp if it has one, each after its length.
    ///
    /// The timestamp tells two records of one offset apart: a topic that was deleted and made again begins at
    /// offset 0 again. A time that the header `dlq.original_timestamp` cannot express counts as the nearest one that it can.
    package var deadLetterText: [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(self.clusterID.utf8.count + self.topic.utf8.count + self.group.utf8.count + 64)
        // Each part stands after its length, so that no two sources give the same bytes.
        Self.append(self.clusterID.utf8, to: &joined)
        Self.append(self.topic.utf8, to: &joined)
        Self.append(Int64(self.partition), to: &joined)
        Self.append(self.offset, to: &joined)
        Self.append(self.group.utf8, to: &joined)
        if let timestamp = self.timestamp {
            Self.append(min(max(timestamp, RFC3339.range.lowerBound), RFC3339.range.upperBound), to: &joined)
        }
        return joined
    }

    private static func append(_ part: String.UTF8View, to joined: inout [UInt8]) {
        joined.appendDecimal(Int64(part.count))
        joined.append(UInt8(ascii: ":"))
        joined += part
    }

    private static func append(_ number: Int64, to joined: inout [UInt8]) {
        var digits: [UInt8] = []
        digits.reserveCapacity(20)
        digits.appendDecimal(number)
        joined.appendDecimal(Int64(digits.count))
        joined.append(UInt8(ascii: ":"))
        joined += digits
    }
}
