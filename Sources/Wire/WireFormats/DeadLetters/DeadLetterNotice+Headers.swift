package import Records

extension DeadLetterNotice {
    /// The most bytes that all headers of a notice take together, names included. The limits below keep a
    /// notice under it: tests check the total, the code does not.
    package static let headerBytesLimit = 8 * 1024
    /// The longest message in bytes; a longer one is cut.
    package static let messageBytesLimit = 1024
    /// The longest value in bytes of any other text header, such as a group's name; a longer one is cut.
    package static let textBytesLimit = 256

    /// The header of the failure's message. Kafka's brokers write their message under the same name
    /// (KIP-1191).
    package static let messageHeaderName = "__dlq.errors.message"

    /// All header names that a notice may set. A new notice removes headers of all these names, also those
    /// that it does not set itself, so that no value of an old notice remains. The headers
    /// `dlq.replay_count`, `dlq.replay_of`, `dlq.replay_id` and `dlq.edited` belong to the replay and stay.
    package static let headerNames: Set<String> = [
        "__dlq.errors.topic", "__dlq.errors.partition", "__dlq.errors.offset", "__dlq.errors.group",
        "__dlq.errors.delivery.count", Self.messageHeaderName,
        "dlq.id", "dlq.class", "dlq.reason", "dlq.attempts", "dlq.first_failed_at", "dlq.failed_at",
        "dlq.original_timestamp", "dlq.upstream", "dlq.upstream_status", "dlq.upstream_request_id",
        "dlq.worker", "dlq.worker_version", "dlq.replayable",
        "dlq.value_omitted", "dlq.value_bytes", "dlq.value_sha256",
        "dlq.headers_omitted", "dlq.key_omitted",
    ]

    /// Whether a notice may set the header. The length is looked at first, because a publisher chooses the names of
    /// its own headers, and hashing one of them can take hours.
    package static func isNotice(_ header: String) -> Bool {
        header.utf8.count <= 64 && self.headerNames.contains(header)
    }

    /// The notice as record headers, in a fixed order. Too long texts are cut.
    package var headers: [RecordHeader] {
        let optional: [(String, String?)] = [
            ("dlq.original_timestamp", self.source.timestamp.map(RFC3339.string)),
            ("dlq.upstream", self.upstream),
            ("dlq.upstream_status", self.upstreamStatus.map(String.init)),
            ("dlq.upstream_request_id", self.upstreamRequestID),
        ]
        let texts: [(String, String?)] =
            [
                ("__dlq.errors.topic", self.source.topic),
                ("__dlq.errors.partition", String(self.source.partition)),
                ("__dlq.errors.offset", String(self.source.offset)),
                ("__dlq.errors.group", self.source.group),
                ("__dlq.errors.delivery.count", String(self.attempts)),
                ("dlq.id", self.id),
                ("dlq.class", self.kind.rawValue),
                ("dlq.reason", self.reason.code),
                ("dlq.attempts", String(self.attempts)),
                ("dlq.first_failed_at", RFC3339.string(self.firstFailedAt)),
                ("dlq.failed_at", RFC3339.string(self.failedAt)),
            ] + optional + [
                ("dlq.worker", self.worker),
                ("dlq.worker_version", self.workerVersion),
                ("dlq.replayable", self.replayable.rawValue),
            ]
        let message = Self.prefix(of: self.reason.message, bytesLimit: Self.messageBytesLimit)
        return texts.compactMap { name, text in
            text.map { RecordHeader(name, Self.prefix(of: $0, bytesLimit: Self.textBytesLimit)) }
        } + [RecordHeader(Self.messageHeaderName, message)]
    }

    /// Returns the record's own headers, untouched and in order, followed by the notice. Headers of an
    /// earlier notice are replaced, so that a dead letter that fails again describes its last failure only.
    package func headers(over existing: [RecordHeader]) -> [RecordHeader] {
        existing.filter { !Self.isNotice($0.name) } + self.headers
    }

    /// Returns the longest prefix of whole Unicode scalars that takes at most `bytesLimit` bytes in UTF-8.
    package static func prefix(of text: String, bytesLimit: Int) -> String {
        guard text.utf8.count > bytesLimit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytesLimit)
        while String.Index(end, within: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}
