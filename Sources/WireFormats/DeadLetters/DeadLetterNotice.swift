import Cryptography

/// What is said about a dead record, in headers beside its own.
package struct DeadLetterNotice: Hashable, Sendable {
    /// Where a record stood when it died, and for whom.
    package struct Source: Hashable, Sendable {
        package var clusterID: String
        package var topic: String
        package var partition: Int32
        package var offset: Int64
        package var group: String
        /// Wall-clock milliseconds since 1970; nil if the record carries none.
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

    package var source: Source
    package var kind: DeadLetter.Class
    package var reason: Reason
    package var replayable: DeadLetter.Replayable
    package var attempts: Int
    /// Wall-clock milliseconds since 1970, both.
    package var firstFailedAt: Int64
    package var failedAt: Int64
    /// The upstream's name, and what it answered last: an HTTP status. Nil where nobody was asked.
    package var upstream: String?
    package var upstreamStatus: Int?
    package var upstreamRequestID: String?
    package var worker: String
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

    /// The same for every attempt to write this dead letter, and for no other.
    package var id: String { self.source.deadLetterID }
}

extension DeadLetterNotice.Source {
    /// `dl-` and half a SHA-256 over where the record stood.
    package var deadLetterID: String {
        "dl-" + String(decoding: Hexadecimal.encode(Array(self.deadLetterDigest.prefix(16))), as: UTF8.self)
    }

    /// The SHA-256 that the id is the first half of.
    package var deadLetterDigest: [UInt8] { Digest.sha256(self.deadLetterText) }

    /// What the id is a digest of.
    package var deadLetterText: [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(self.clusterID.utf8.count + self.topic.utf8.count + self.group.utf8.count + 64)
        // Each part after its length, so that no two sources join to the same bytes.
        Self.append(self.clusterID.utf8, to: &joined)
        Self.append(self.topic.utf8, to: &joined)
        Self.append(Int64(self.partition), to: &joined)
        Self.append(self.offset, to: &joined)
        Self.append(self.group.utf8, to: &joined)
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
